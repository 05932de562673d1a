import { ModuleState } from '../../../vm/calls/modulestate.js';
import { afterwards } from '../../../vm/calls/native.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Value } from '../../../vm/values/value.js';
import { firstProcess } from '../../cluster/firstprocess.js';
import type { App } from './app.js';
import { APPS } from './paths.js';
import { SURVEY } from './survey.js';

/** For natives: checks the address of a bus. Return the result of this call. @throws ArgumentError */
export function checkBus(vm: NativeContext, url: string): undefined {
  const loaded = import('../../bus/opening.js');
  return vm.waitForPromise(
    'bus',
    loaded.then(async ({ busOf }) => {
      await busOf(vm, url);
      return null;
    }),
  );
}

/** Whether the program may use rooms or broadcasts, set when its library is loaded. */
export const MAY_USE_ROOMS = new ModuleState<boolean, NativeContext>(() => true);

/**
 * The address of the bus of an application that runs on its own; null if it needs none. The other workers run the same
 * program: if it uses no rooms, none of them sends a message to connections of this one.
 */
function addressOf(vm: NativeContext, { settings }: App): string | null {
  if (settings.bus === null || settings.bus === 'local:')
    return firstProcess() === null || !MAY_USE_ROOMS.of(vm) ? null : 'local:';
  return settings.bus;
}

/**
 * Connects the rooms and broadcasts of an application, and of those that are mounted in it, with other processes. Returns
 * null if there are none, no WebSockets, or no rooms. The promise rejects with an SvcError for an invalid address.
 */
export function linkRooms(vm: NativeContext, app: App): Promise<void> | null {
  const address = addressOf(vm, app);
  const apps = [app, ...app.mounts.map((mount) => mount.app)].filter(
    ({ sockets }) => sockets.hasRoutes && sockets.rooms.elsewhere === null,
  );
  if (address === null || apps.length === 0 || SURVEY.of(vm) !== null) return null;
  return link(vm, new Set(apps), address);
}

async function link(vm: NativeContext, apps: ReadonlySet<App>, address: string): Promise<void> {
  const { linkHub } = await import('../websocket/link.js');
  for (const app of apps) {
    const own = app.settings.bus === null ? address : (addressOf(vm, app) ?? address);
    // The same number in all processes: they run the same program.
    await linkHub(vm, app.sockets, APPS.of(vm).indexOf(app), own);
  }
}

/** For natives: calls `then` once an application is connected with other processes. Return the result of this call. */
export function whenLinked(vm: NativeContext, app: App, then: () => Value | undefined): Value | undefined {
  const linking = linkRooms(vm, app);
  if (linking === null) return then();
  return afterwards(
    vm,
    () =>
      vm.waitForPromise(
        'bus',
        linking.then(() => null),
      ),
    then,
  );
}
