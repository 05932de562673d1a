import { basename } from 'node:path';
import { native } from '../../../vm/calls/native.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { fileAt } from './source.js';
import type { Response } from '../response/response.js';
import { fileResponse } from './send.js';
import { contentTypeOf } from './mediatypes.js';

/** Not `public`: the file may be meant for this client alone. */
const CACHE_CONTROL = 'private, max-age=0';

/** Characters that every client shows alike in a quoted file name: ASCII without quote, backslash and percent. */
const SAFE_NAME = /^[\x20\x21\x23\x24\x26-\x5b\x5d-\x7e]*$/;

/** `encodeURIComponent` throws on these. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** A Content-Disposition (RFC 6266). A name with other characters is also sent in UTF-8 (RFC 8187). */
export function contentDisposition(disposition: string, name: string): string {
  if (SAFE_NAME.test(name)) return `${disposition}; filename="${name}"`;
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  const encoded = encodeURIComponent(name.replace(LONE_SURROGATE, '\ufffd')).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${disposition}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

async function download(vm: NativeContext, path: string, type: string): Promise<Response> {
  return fileResponse(vm, await fileAt(vm, path, { type, cacheControl: CACHE_CONTROL }));
}

function sendFile(
  vm: NativeContext,
  path: string,
  filename: string | null,
  type: string | null,
  disposition: string,
): undefined {
  if (disposition !== 'attachment' && disposition !== 'inline')
    fail(Errors.ArgumentError, `disposition must be "attachment" or "inline", got ${JSON.stringify(disposition)}`);
  const name = filename ?? basename(path);
  return vm.waitForPromise(
    'file',
    download(vm, path, contentTypeOf(path)).then((response) => {
      if (type !== null) response.addField('Content-Type', type);
      response.addField('Content-Disposition', contentDisposition(disposition, name));
      return response;
    }),
  );
}

/** The native `send_file`: downloads of files named by the program. */
export const downloadNatives: NativeFunction[] = [
  native(
    'send_file',
    'path: String, filename: String? = nil, type: String? = nil, disposition: String = "attachment"',
    'SvcResponse',
    'Sends a file, as a download unless the disposition is "inline".',
    sendFile,
  ),
];
