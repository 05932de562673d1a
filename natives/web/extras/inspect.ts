import { Errors, fail } from '../../../vm/values/error.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { App } from '../app/app.js';
import { checkPagePath } from '../app/endpoint.js';

/**
 * Native `app.inspect`: loads the inspector. @throws ValueError for a malformed path, RuntimeError while the application
 * listens
 */
export function enableInspection(vm: NativeContext, app: App, path: string): undefined {
  checkPagePath('inspect', 'path', path, '/_svc');
  if (app.port !== null)
    fail(Errors.RuntimeError, 'SvcApp.inspect(): the server is running; call inspect before app.run');
  const place = vm.position();
  return vm.waitForPromise(
    'inspector',
    import('../inspector/index.js').then(({ inspect }) => {
      inspect(vm, app, path, place);
      return null;
    }),
  );
}
