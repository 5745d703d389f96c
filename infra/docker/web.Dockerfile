# The web app: docker build -f infra/docker/web.Dockerfile .
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --no-audit --no-fund && npx turbo run build --filter=@centspan/web

FROM node:22-bookworm-slim
ENV NODE_ENV=production HOSTNAME=0.0.0.0 PORT=3000 NEXT_TELEMETRY_DISABLED=1
WORKDIR /app
COPY --from=build /src/apps/web/.next/standalone ./
USER node
CMD ["node", "apps/web/server.js"]
