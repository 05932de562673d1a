import { Errors, fail } from '../../../vm/values/error.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { App } from './app.js';
import { withPatterns } from './register.js';
import { prefixIn, type Scope } from './scope.js';

/** Native `app.mount`: adds another application below a prefix. @throws ArgumentError, ValueError */
export function mountApp(vm: NativeContext, scope: Scope, prefix: string, other: App): void {
  const { app, levels } = scope;
  const whole = prefixIn(scope, prefix);
  if (other === app || other.mounts.some((mount) => mount.app === app))
    fail(Errors.ArgumentError, 'mount: an application cannot be mounted in itself');
  if (app.mounts.some((mount) => mount.app === other && mount.prefix === whole))
    fail(Errors.ArgumentError, `mount: this application is already mounted at ${whole === '' ? '/' : whole}`);
  withPatterns(() => app.mount(vm, other, whole, levels));
}
