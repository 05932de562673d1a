import type { LookupAddress, LookupOptions, lookup } from 'node:dns';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { HostNames, lookupBy } from '../../../natives/io/client/hostnames.js';
import { directory } from './support.js';

const OF_SYSTEM: LookupAddress[] = [{ address: '10.0.0.1', family: 4 }];

type Answer = (error: Error | null, addresses: LookupAddress[]) => void;

/** A system that answers when it is told to, and servers that know some names. */
async function fakes(t: Test, patience?: number) {
  const asked: [name: string, answer: Answer][] = [];
  const system = ((name: string, _options: LookupOptions, answer: Answer) =>
    void asked.push([name, answer])) as unknown as typeof lookup;
  const ofServers: string[] = [];
  const resolve = (type: string, known: Record<string, string[]>) => async (name: string) => {
    ofServers.push(`${type} ${name}`);
    const answer = known[name] as string[] | undefined;
    if (answer !== undefined) return answer;
    throw Object.assign(new Error(), { code: name.startsWith('slow') ? 'ETIMEOUT' : 'ENOTFOUND' });
  };
  const servers = {
    resolve4: resolve('A', { 'both.test': ['192.0.2.1', '192.0.2.2'], 'old.test': ['192.0.2.3'] }),
    resolve6: resolve('AAAA', { 'both.test': ['2001:db8::1'] }),
  };
  const file = join(await directory(t), 'hosts');
  await writeFile(file, '127.0.0.1 Given.test # and others\n');
  const names = new HostNames(system, servers as never, file, patience);
  const of = (name: string, options: LookupOptions = {}): Promise<string> =>
    new Promise((done) =>
      names.all(name, options, (error, addresses) =>
        done(
          error === null
            ? addresses.map(({ address }) => address).join(' ')
            : String((error as NodeJS.ErrnoException).code),
        ),
      ),
    );
  return { asked, ofServers, names, of };
}

t.test('the system looks up a name while it looks up no other', async (t) => {
  const { asked, ofServers, of } = await fakes(t);
  for (const name of ['one', 'both.test']) {
    const found = of(name);
    asked.pop()?.[1](null, OF_SYSTEM);
    t.equal(await found, '10.0.0.1', name);
  }
  t.same(ofServers, []);
});

t.test('other names meanwhile', async (t) => {
  const { asked, ofServers, of } = await fakes(t);
  const first = of('hangs.test');
  t.equal(await of('Both.test'), '192.0.2.1 192.0.2.2 2001:db8::1');
  t.equal(await of('both.test', { family: 6 }), '2001:db8::1');
  t.equal(await of('both.test', { family: 4 }), '192.0.2.1 192.0.2.2');
  t.equal(await of('old.test'), '192.0.2.3', 'one family is enough');
  t.equal(await of('localhost'), '127.0.0.1 ::1');
  t.equal(await of('a.localhost', { family: 4 }), '127.0.0.1');
  t.equal(await of('slow.test'), 'EAI_AGAIN', 'the servers do not answer');
  t.same(new Set(ofServers.map((text) => text.split(' ')[1])), new Set(['both.test', 'old.test', 'slow.test']));
  const known = ofServers.length;
  const waiting = ['short', 'printer.local', 'given.test', 'unknown.test'].map((name) => of(name));
  await new Promise((done) => setTimeout(done, 50));
  t.same(ofServers.slice(known), ['A unknown.test', 'AAAA unknown.test'], 'the others only the system may know');
  for (let i = 0; i < 5; i++) {
    t.equal(asked.length, i + 1, 'one after the other');
    asked[i][1](null, OF_SYSTEM);
  }
  t.same(
    new Set(asked.map(([name]) => name)),
    new Set(['hangs.test', 'short', 'printer.local', 'given.test', 'unknown.test']),
  );
  t.same(new Set([await first, ...(await Promise.all(waiting))]), new Set(['10.0.0.1']));
});

t.test('nobody waits longer than a connection does', async (t) => {
  const { asked, of } = await fakes(t, 20);
  const first = of('hangs.test');
  const second = of('short');
  await new Promise((done) => setTimeout(done, 50));
  asked[0][1](Object.assign(new Error(), { code: 'ENOTFOUND' }), []);
  t.same([await first, await second, asked.length], ['ENOTFOUND', 'EAI_AGAIN', 1]);
});

t.test('as connections ask', async (t) => {
  const { asked, names } = await fakes(t);
  const lookup = lookupBy(names.all);
  const given: unknown[][] = [];
  for (const all of [true, false]) lookup('localhost', { all }, (...args) => void given.push(args));
  asked[0][1](null, OF_SYSTEM);
  await new Promise((done) => setTimeout(done, 10));
  t.same(given, [
    [null, OF_SYSTEM],
    [null, '127.0.0.1', 4],
  ]);
});
