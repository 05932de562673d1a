import fc from 'fast-check';

/** Properties are tried on the same values in each run of the tests; `SVC_PROPERTY_SEED=random`, or a number, for others. */
const { SVC_PROPERTY_SEED: seed = '1' } = process.env;
fc.configureGlobal({ seed: seed === 'random' ? undefined : Number(seed) });

export { default } from 'fast-check';
