/**
 * MiB by which a server may grow whose clients do not read. From V8 13 on (Node 24) its young generation takes up to 64 MB
 * more than before.
 */
export const GROWTH_MIB = parseInt(process.versions.v8) >= 13 ? 128 : 64;
