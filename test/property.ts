import fc from 'fast-check';

/** Seed of the values that properties are tried on: the same in each run, unless SVC_PROPERTY_SEED is a number or `random`. */
const { SVC_PROPERTY_SEED: seed = '1' } = process.env;
fc.configureGlobal({ seed: seed === 'random' ? undefined : Number(seed) });

export { default } from 'fast-check';
