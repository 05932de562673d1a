/**
 * The variables of this process without NODE_EXTRA_CA_CERTS: node reads the certificates in that file whenever it starts,
 * which takes as long as the rest of a short program.
 */
export function withoutCertificates(): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _, ...rest } = process.env;
  return rest;
}
