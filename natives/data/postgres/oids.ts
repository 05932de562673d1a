/** Numbers of PostgreSQL's own types (pg_type.dat). They are the same on every server. */
export const OID = {
  bool: 16,
  bytea: 17,
  int8: 20,
  int2: 21,
  int4: 23,
  oid: 26,
  json: 114,
  float4: 700,
  float8: 701,
  date: 1082,
  timestamp: 1114,
  timestamptz: 1184,
  numeric: 1700,
  jsonb: 3802,
} as const;

/** Array types of PostgreSQL itself with the types of their elements. */
export const ARRAYS: ReadonlyMap<number, number> = new Map([
  [1000, OID.bool],
  [1001, OID.bytea],
  [1016, OID.int8],
  [1005, OID.int2],
  [1007, OID.int4],
  [1028, OID.oid],
  [199, OID.json],
  [1021, OID.float4],
  [1022, OID.float8],
  [1182, OID.date],
  [1115, OID.timestamp],
  [1185, OID.timestamptz],
  [1231, OID.numeric],
  [3807, OID.jsonb],
  // Arrays of types whose values are texts: char, name, text, bpchar, varchar, uuid, inet, cidr, macaddr, macaddr8,
  // interval, time, timetz, money, bit, varbit, xml.
  ...[1002, 1003, 1009, 1014, 1015, 2951, 1041, 651, 1040, 775, 1187, 1183, 1270, 791, 1561, 1563, 143].map(
    (oid) => [oid, 0] as const,
  ),
]);

/** The first number of types that are not PostgreSQL's own. */
export const FIRST_OWN_TYPE = 16_384;

/**
 * Types that drop a part of what a text holds: "char", name, real, money, char(n), date, time, timetz, bit, and arrays of
 * them. A prepared statement keeps the type of a parameter when its column gets a wider one, and would go on dropping.
 */
export const LOSSY: ReadonlySet<number> = new Set([
  ...[18, 19, OID.float4, 790, 1042, OID.date, 1083, 1266, 1560],
  ...[1002, 1003, 1021, 791, 1014, 1182, 1183, 1270, 1561],
]);
