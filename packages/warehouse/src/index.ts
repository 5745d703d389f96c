export { openWarehouse, type Warehouse } from "./open-warehouse.ts";
export { type Cluster, renderSchema } from "./render-schema.ts";
