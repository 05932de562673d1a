import t from 'tap';
import { migrationNames, migrationOf } from '../../../natives/data/migrations.js';
import type { SvcError } from '../../../vm/values/error.js';

function refusal(names: string[]): string {
  try {
    migrationNames('db', names);
    return '';
  } catch (error) {
    return (error as SvcError).value.message;
  }
}

t.test('migrations are ordered by their numbers; other files are ignored', async (t) => {
  t.strictSame(migrationNames('db', []), []);
  t.strictSame(migrationNames('db', ['README.md', '.0003_c.sql', '2_b.sql', '0001_a-x.sql', 'schema.sqlite']), [
    '0001_a-x.sql',
    '2_b.sql',
  ]);
  const many = Array.from({ length: 12 }, (_, i) => `${i + 1}_x.sql`);
  t.strictSame(migrationNames('db', [...many].sort()), many);
});

t.test('names that are refused', async (t) => {
  t.equal(
    refusal(['0001_a.sql', '0001_b.sql']),
    'db has two migrations with number 1: 0001_a.sql and 0001_b.sql; rename the one that was written later',
  );
  t.equal(
    refusal(['0001_a.sql', '0003_c.sql']),
    'db has no migration 0002 between 0001_a.sql and 0003_c.sql; the numbers of migrations have no gaps',
  );
  for (const name of ['0000_a.sql', '0002_a.sql'])
    t.equal(refusal([name]), `db begins with ${name}; the numbers of migrations begin at 0001`);
  for (const name of ['notes.sql', '0001.sql', '0001_.sql', '0001_a b.sql', '0001-a.sql', '0001_A.SQL'])
    t.equal(
      refusal([name]),
      `db/${name} is no name of a migration: expected a number, _ and a name of letters, digits, _ and -, as in 0001_notes.sql`,
    );
});

t.test('the checksum does not depend on the ends of lines', async (t) => {
  const [unix, windows, other] = ['a\nb\n', 'a\r\nb\r\n', 'a\nc\n'].map((text) =>
    migrationOf('db', '0001_a.sql', text),
  );
  t.equal(unix.checksum, windows.checksum);
  t.not(unix.checksum, other.checksum);
  t.match(unix, { name: '0001_a.sql', path: 'db/0001_a.sql', number: 1 });
});
