/**
 * Messages from a supervisor that make a worker finish its work and exit: STOP when the whole service stops, ROLL when a
 * successor has taken over.
 */
export const STOP = 'svc: stop';
export const ROLL = 'svc: roll';
