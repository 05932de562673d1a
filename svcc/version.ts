import { readFileSync } from 'node:fs';

// Defined by tools/build.ts; undefined when unbundled.
declare const SVC_VERSION: string | undefined;
declare const SVC_BUILD: string | undefined;

function versionOfPackage(): string {
  return (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version;
}

/** Version of this package. */
export const VERSION = typeof SVC_VERSION === 'string' ? SVC_VERSION : versionOfPackage();

/** Hash of all sources of this build; null when unbundled, because sources may change under a running process. */
export const BUILD: string | null = typeof SVC_BUILD === 'string' ? SVC_BUILD : null;
