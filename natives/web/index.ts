import type { NativeFunction } from '../../vm/values/function.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { MAY_USE_ROOMS } from './app/linking.js';
import { appNatives } from './registration.js';
import { formNatives } from './extras/forms.js';
import { extras, requestExtras } from './extras/index.js';
import { requestMethods } from './request/request.js';
import { redirectNatives } from './response/redirect.js';
import { responseNatives } from './response/response.js';
import { formHelpers } from './forms/index.js';
import { memoryStoreNatives } from './sessions/memorystore.js';
import { appSessionNatives } from './sessions/natives.js';
import { sessionNatives } from './sessions/session.js';
import { downloadNatives } from './files/download.js';
import { chunkNatives } from './streams/chunks.js';
import { streamNatives } from './streams/stream.js';
import { pageNatives } from './pages/index.js';
import { socketNatives } from './websocket/natives.js';

/** The functions and methods of the web library; docs/web-reference.md lists them. */
export const web: readonly NativeFunction[] = [
  ...appNatives,
  ...responseNatives,
  ...redirectNatives,
  ...requestMethods,
  ...sessionNatives,
  ...appSessionNatives,
  ...memoryStoreNatives,
  ...formHelpers,
  ...streamNatives,
  ...chunkNatives,
  ...downloadNatives,
  ...socketNatives,
  ...extras,
  ...pageNatives,
  ...requestExtras,
  ...formNatives,
];

/**
 * Defines the web library's natives in a VM.
 * @param mayUseRooms whether the program may use rooms or broadcasts of WebSockets
 */
export function installWeb(vm: NativeContext, mayUseRooms = true): void {
  vm.define(web);
  MAY_USE_ROOMS.set(vm, mayUseRooms);
}
