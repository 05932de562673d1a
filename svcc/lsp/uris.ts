import { fileURLToPath, pathToFileURL } from 'node:url';

/** The path of a file's URI; the URI itself if it is no file's, as of a text that has never been saved. */
export function pathOf(uri: string): string {
  if (!uri.startsWith('file:')) return uri;
  try {
    return fileURLToPath(uri);
  } catch {
    return uri;
  }
}

/** The URI of a path; a URI stays as it is. */
export function uriOf(path: string): string {
  return /^[a-z][\w+.-]+:/i.test(path) ? path : pathToFileURL(path).href;
}
