import type { VM } from '../../vm/vm.js';
import { appNatives } from './app.js';
import { extras } from './extras/index.js';
import { requestMethods } from './request.js';
import { responseNatives } from './response.js';
import { sessionNatives } from './session.js';
import { downloadNatives } from './files/download.js';
import { streamNatives } from './stream.js';
import { socketNatives } from './websocket/natives.js';

/** Makes the web library known to a VM. */
export function installWeb(vm: VM): void {
  vm.define([...appNatives, ...responseNatives, ...requestMethods, ...sessionNatives, ...streamNatives, ...downloadNatives, ...socketNatives, ...extras]);
}
