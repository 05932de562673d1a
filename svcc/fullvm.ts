import { installAuth } from '../natives/auth/index.js';
import { installBus } from '../natives/bus/index.js';
import { installData } from '../natives/data/index.js';
import { installDecimal } from '../natives/decimal/index.js';
import { installIo } from '../natives/io/index.js';
import { installKeystore } from '../natives/keystore/index.js';
import { installJobs } from '../natives/jobs/index.js';
import { installMail } from '../natives/mail/index.js';
import { installLogging } from '../natives/logging/index.js';
import { installWeb } from '../natives/web/index.js';
import { installTestClient } from '../natives/web/testclient/client.js';
import { installTesting } from '../natives/testing/index.js';
import { installZones } from '../natives/zones/index.js';
import type { Host } from '../vm/host.js';
import type { VM } from '../vm/vm.js';
import { createCoreVm, type ExecuteOptions } from './execute.js';

/** A VM with the whole library. */
export function createVm(host: Host, options: ExecuteOptions): VM {
  const vm = createCoreVm(host, options);
  installIo(vm);
  installDecimal(vm);
  installData(vm);
  installBus(vm);
  installJobs(vm);
  installWeb(vm);
  installTestClient(vm);
  installAuth(vm);
  installMail(vm);
  installKeystore(vm);
  installLogging(vm);
  installTesting(vm);
  installZones();
  return vm;
}

/** Names that programs may use without declaring them. */
export function nativeNames(vm: VM): ReadonlySet<string> {
  return new Set([...vm.globals.keys(), 'loop']);
}
