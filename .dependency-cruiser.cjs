// Who may import whom. Type imports count as well: a folder that needs another's types needs the other folder.
const PRODUCT = '^(vm|compiler|natives|svcc)/';
const OWN_FOLDERS = '^(vm|compiler|natives|svcc|tools|bench|test|spec-tests|editors)/';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'bytecode-stands-alone',
      comment: 'vm/bytecode is the treaty between compiler and vm: it imports nothing but itself.',
      severity: 'error',
      from: { path: '^vm/bytecode/' },
      to: { pathNot: '^vm/bytecode/' },
    },
    {
      name: 'compiler-knows-bytecode-only',
      comment: 'The compiler imports itself, vm/bytecode, moo and nearley.',
      severity: 'error',
      from: { path: '^compiler/' },
      to: {
        pathNot: ['^(compiler|vm/bytecode)/', '(^|/)node_modules/(@types/)?(moo|nearley)/'],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'vm-knows-itself-only',
      comment: 'The vm imports nothing outside vm/; its host gives it clock, timers and random numbers.',
      severity: 'error',
      from: { path: '^vm/', pathNot: '^vm/bytecode/' },
      to: { pathNot: '^vm/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'compiler-and-vm-are-pure',
      comment: "Compiler and vm run in a browser too: none of node's modules.",
      severity: 'error',
      from: { path: '^(compiler|vm)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'values-stand-below-the-vm',
      comment: 'Values know bytecode and one another: nothing that runs.',
      severity: 'error',
      from: { path: '^vm/values/' },
      to: { path: '^vm/', pathNot: '^vm/(values|bytecode)/' },
    },
    {
      name: 'fibers-know-values-only',
      comment: 'Fibers, scheduler and timers know values and the host, not what they run.',
      severity: 'error',
      from: { path: '^vm/fibers/' },
      to: { path: '^vm/', pathNot: ['^vm/(fibers|values)/', '^vm/host\\.ts$'] },
    },
    {
      name: 'calls-and-traces-stand-below-the-interpreter',
      comment: 'How functions are reached, and where errors come from, is the same for interpreter and compiled code.',
      severity: 'error',
      from: { path: '^vm/(calls|traces)/' },
      to: { path: '^vm/', pathNot: '^vm/(calls|traces|fibers|values|bytecode)/' },
    },
    {
      name: 'interpreter-stands-below-the-jit',
      comment: 'The interpreter knows the JIT compiler as a `Tier`, and the VM as an `Engine`.',
      severity: 'error',
      from: { path: '^vm/interpreter/' },
      to: { path: ['^vm/(jit|watch)/', '^vm/vm\\.ts$'] },
    },
    {
      name: 'jit-knows-no-vm',
      comment: 'The JIT compiler knows the VM as an `Engine`; its analyses know nothing of code that is written.',
      severity: 'error',
      from: { path: '^vm/jit/' },
      to: { path: ['^vm/watch/', '^vm/vm\\.ts$'] },
    },
    {
      name: 'analysis-writes-no-code',
      comment: 'Analyses of bytecode stand below what writes code.',
      severity: 'error',
      from: { path: '^vm/jit/analysis/' },
      to: { path: '^vm/jit/', pathNot: '^vm/jit/analysis/' },
    },
    {
      name: 'http-stands-below-web',
      comment: 'What client and server share of HTTP, and input and output, know nothing of the web library.',
      severity: 'error',
      from: { path: '^natives/(http|io|core)/' },
      to: { path: '^natives/(web|auth)/' },
    },
    {
      name: 'drivers-know-no-vm',
      comment:
        'Drivers of databases know their interface, and helpers that import nothing but such, so that their threads load no part of the VM.',
      severity: 'error',
      from: { path: '^natives/data/([^/]+/|(driver|inserting|pace|pragmas|rowlimits|skipping|statements|whole)\\.ts$)' },
      to: {
        path: OWN_FOLDERS,
        pathNot:
          '^(natives/data/((driver|inserting|pace|pragmas|rowlimits|skipping|statements|whole)\\.ts$|[^/]+/)|natives/(limitedmap|tlsreasons|within)\\.ts$|vm/(bytecode/nearest|fibers/(linkedlist|waitingline))\\.ts$)',
      },
    },
    {
      name: 'bus-drivers-know-no-vm',
      comment: 'Drivers of messages know their interface, and the connections to servers.',
      severity: 'error',
      from: { path: '^natives/bus/', pathNot: '^natives/bus/(gaps|index|messages|opening|subscription)\\.ts$' },
      to: { path: '^(vm|natives/core)/' },
    },
    {
      name: 'requests-stand-below-handling',
      comment: 'Connections, requests and responses know nothing of who handles them.',
      severity: 'error',
      from: { path: '^natives/web/(config|connection|request|response|routing)/' },
      to: { path: '^natives/web/(app|dev|extras|handling|server|sessions|streams|websocket)/' },
    },
    {
      name: 'handling-stands-below-the-server',
      comment: 'Only the registration of an application starts a server.',
      severity: 'error',
      from: { path: '^natives/web/.+/', pathNot: '^natives/web/server/' },
      to: { path: '^natives/web/server/' },
    },
    {
      name: 'natives-see-only-their-context',
      comment: 'A native uses the VM through NativeContext, so that the VM can change behind it.',
      severity: 'error',
      from: { path: '^natives/' },
      to: { path: '^vm/[^/]+\\.ts$', pathNot: '^vm/(host|nativecontext)\\.ts$' },
    },
    {
      name: 'natives-know-vm-only',
      comment: 'Natives import vm, node and packages, never the compiler or the command line.',
      severity: 'error',
      from: { path: '^natives/' },
      to: { path: OWN_FOLDERS, pathNot: '^(natives|vm)/' },
    },
    {
      name: 'product-needs-no-tools',
      comment: 'Nothing that is shipped imports tools, benchmarks or tests.',
      severity: 'error',
      from: { path: PRODUCT },
      to: { path: '^(tools|bench|test|spec-tests|editors)/' },
    },
    {
      name: 'product-needs-no-dev-dependency',
      comment: 'What the product imports at run time must stand under "dependencies".',
      severity: 'error',
      from: { path: PRODUCT },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: '(^|/)node_modules/@types/' },
    },
    {
      name: 'no-cycle',
      comment:
        'Modules form a tree of layers; a cycle, even of types, means that a shared part wants a file of its own.',
      severity: 'error',
      from: {},
      // The type Value names the classes of all values, which name it.
      to: { circular: true, viaOnly: { pathNot: '^vm/values/value\\.ts$' } },
    },
    {
      name: 'value-names-types-only',
      comment: 'value.ts may name what imports it, but not load it: that is no cycle at run time.',
      severity: 'error',
      from: { path: '^vm/values/value\\d*\\.ts$' },
      to: { dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-missing-module',
      comment: 'Every import leads somewhere.',
      severity: 'error',
      // The peers of the benchmarks are installed by the bench's own package.json, when they are.
      from: { pathNot: '^bench/' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    // Written beside the folders that are checked, so that the command needs no list of folders, of which a clone may lack some.
    exclude: { path: '(^|/)(dist|coverage|\\.tap|\\.git)/' },
    doNotFollow: { path: '(^|/)node_modules/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['types', 'import', 'node', 'default'] },
  },
};
