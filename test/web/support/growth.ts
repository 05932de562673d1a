/**
 * MiB by which a server may grow whose clients do not read: 64, and 32 that glibc keeps of freed memory for a server. V8
 * has more room for young objects from version 13 on (Node 24): servers that grew by less than 64 MiB before grow by up
 * to 83 there.
 */
export const GROWTH_MIB = parseInt(process.versions.v8) >= 13 ? 128 : 96;
