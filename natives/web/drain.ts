/** What a supervisor sends to a worker that has to finish its requests and end. */
export const DRAIN = 'svc: drain';
