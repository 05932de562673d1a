import t from 'tap';
import { auth } from '../../../natives/auth/index.js';
import { IO_MODULES } from '../../../natives/io/index.js';
import { paramsOf } from '../../../vm/calls/native.js';

const all = [...Object.values(IO_MODULES).flat(), ...auth];

t.test('every signature is valid and every declaration has a sentence', async (t) => {
  for (const fn of all) {
    t.doesNotThrow(() => paramsOf(fn), fn.name);
    t.match(fn.doc, /^[A-Z0-9].*\.$/, fn.name);
  }
});

t.test('functions of files, requests, encodings and svcauth exist', async (t) => {
  const names = new Set(all.map(({ name }) => name));
  const wanted = `json_read json_write csv_parse csv_dump csv_read csv_write file_read file_write file_append file_lines file_exists file_delete
    file_rename file_copy file_mkdir dir_exists dir_list path_join path_dirname path_basename path_extname path_stem path_absolute http_get http_post
    http_put http_patch http_delete url_encode url_decode shell dotenv hmac_sign hmac_verify base64_encode base64_decode sha256 secure_compare html_escape
    basic_auth_ok? auth_token_create auth_token_verify bearer_required`;
  for (const name of wanted.split(/\s+/)) t.ok(names.has(name), name);
});
