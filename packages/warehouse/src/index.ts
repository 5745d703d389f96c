export { openWarehouse, type Warehouse } from "./open-warehouse.ts";
