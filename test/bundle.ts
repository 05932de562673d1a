import { join } from 'node:path';
import { buildId, builtId, ROOT } from '../tools/buildid.js';

let checked = false;

/**
 * Path of the bundled `svcc`. Tests that call this, directly or through `Svcc`, have `.bundle.` in their name.
 * @throws Error if there is no bundle, or if it was built from other sources
 */
export function bundledSvcc(): string {
  if (!checked) {
    const built = builtId();
    if (built === null) throw new Error('dist/ has no bundle, which this test runs: build it with `npm run bundle`');
    if (built !== buildId())
      throw new Error('the bundle in dist/ was built from other sources: build it again with `npm run bundle`');
    checked = true;
  }
  return join(ROOT, 'dist/svcc.js');
}
