import { installAuth } from '../natives/auth/index.js';
import { installCore } from '../natives/core/index.js';
import { installBus } from '../natives/bus/index.js';
import { installData } from '../natives/data/index.js';
import { installDecimal } from '../natives/decimal/index.js';
import { encoding } from '../natives/io/encoding.js';
import { http } from '../natives/io/http.js';
import { installLocal } from '../natives/io/local.js';
import { tables } from '../natives/io/tables.js';
import { installKeystore } from '../natives/keystore/index.js';
import { installJobs } from '../natives/jobs/index.js';
import { installMail } from '../natives/mail/index.js';
import { installWeb } from '../natives/web/index.js';
import { installTesting } from '../natives/testing/index.js';
import { nodeHost } from '../svcc/host.js';
import { VM } from '../vm/vm.js';

/**
 * svcc/generated/names.ts: the names that each part of the library defines. With it, a program is compiled before its
 * parts are loaded.
 */
export function generateNames(): Map<string, string> {
  const vm = new VM(nodeHost({ stdout: () => {}, stderr: () => {} }), {});
  const known = new Set<string>();
  const parts = {
    core: installCore,
    local: installLocal,
    csv: (vm: VM) => vm.define(tables),
    http: (vm: VM) => vm.define(http),
    encoding: (vm: VM) => vm.define(encoding),
    decimal: installDecimal,
    data: installData,
    bus: installBus,
    jobs: installJobs,
    web: installWeb,
    auth: installAuth,
    mail: installMail,
    keystore: installKeystore,
    testing: installTesting,
  };
  const rows = Object.entries(parts).map(([part, install]) => {
    install(vm);
    const names = [...vm.globals.keys()].filter((name) => !known.has(name));
    for (const name of names) known.add(name);
    return `  ${part}: ${JSON.stringify([...(part === 'core' ? ['loop'] : []), ...names].sort().join(' '))},\n`;
  });
  const text = `// Written by \`npm run generate\`; do not edit.\n\n/** Names that the parts of the library define, joined by blanks. */\nexport const NAMES: Readonly<Record<string, string>> = {\n${rows.join('')}};\n`;
  return new Map([['svcc/generated/names.ts', text]]);
}
