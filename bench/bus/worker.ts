/** A worker of the benchmark: sends or counts messages over the channel to the first process. */
import { Socket } from 'node:net';
import { Bus } from '../../natives/bus/bus.js';
import { ClusterBus } from '../../natives/bus/cluster.js';
import { channelOver } from '../../natives/cluster/stream.js';
import { TEXT } from './text.js';

const [role, count] = [process.argv[2], Number(process.argv[3])];
const channel = channelOver(new Socket({ fd: 4 }), process.ppid, () => process.exit());
const options = {
  origin: role.padEnd(12, '-'),
  prefix: 'bench',
  defer: setImmediate,
  whenTaken: (then: () => void) => then(),
};
const bus = new Bus('bench', options.origin, (events) => new ClusterBus(channel, options, events), console.error, () => performance.now()); // prettier-ignore

/** Messages sent in one turn of the event loop. */
const TURN = 100;

if (role === 'receive') {
  let seen = 0;
  const { ready } = bus.listen('room', () => {
    if (++seen % count === 0) process.send?.('received');
  });
  void ready.then(() => process.send?.('ready'));
} else {
  process.on('message', () => {
    let sent = 0;
    const turn = (): void => {
      for (let i = 0; i < TURN; i++) bus.publish('room', TEXT);
      sent += TURN;
      if (sent < count) setImmediate(turn);
    };
    turn();
  });
  process.send?.('ready');
}
