# One Dockerfile for every Node service: docker build -f infra/docker/service.Dockerfile --build-arg APP=collector .
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --no-audit --no-fund
ARG APP
RUN npx turbo run build --filter=@centspan/${APP}

FROM node:22-bookworm-slim
ARG APP
ENV NODE_ENV=production CENTSPAN_HOST=0.0.0.0
WORKDIR /app
COPY --from=build /src/apps/${APP}/package.json ./
COPY --from=build /src/apps/${APP}/dist ./dist
# Where the collector's volume is mounted: a new volume takes this folder's owner.
RUN install -d -o node -g node -m 700 /spool
USER node
CMD ["node", "--enable-source-maps", "dist/main.js"]
