import { createTwoFilesPatch } from 'diff';
import { type Body, fieldOf, LEFT, type Recording } from './recording.js';

type Response = Recording['response'];

/** Maximum lines of a comparison. */
const MAX_LINES = 60;
/** Limits of the comparison by lines: characters of both bodies together, and differing lines. */
const MAX_COMPARED = 200_000;
const MAX_EDITS = 500;

const MISSING = {
  'too long': 'is longer than 1 MB',
  incomplete: 'was not sent to its end',
  malformed: 'could not be decoded',
  'error page': 'is the error page of --dev',
} as const;

/** Returns a body in lines. JSON is formatted with one value in each. */
function linesOf({ data }: Body, contentType: string): string {
  if (/json/i.test(contentType))
    try {
      return `${JSON.stringify(JSON.parse(data), null, 2)}\n`;
    } catch {
      // Not valid JSON: keep its lines.
    }
  return `${data.replace(/\n$/, '')}\n`;
}

function isSame(a: Body | null, b: Body | null): boolean {
  return a?.encoding === b?.encoding && a?.data === b?.data;
}

function differing(recorded: Response, now: Response): string[] {
  const [a, b] = [recorded, now].map(({ body, fields }) =>
    body === null ? '' : linesOf(body, fieldOf(fields, 'content-type') ?? ''),
  );
  if (recorded.body?.encoding === 'base64' || now.body?.encoding === 'base64' || a.length + b.length > MAX_COMPARED)
    return [];
  const patch = createTwoFilesPatch('recorded', 'now', a, b, '', '', { context: 2, maxEditLength: MAX_EDITS });
  // The first lines name the files.
  const lines = (patch ?? '').split('\n').slice(3, -1);
  return lines.length <= MAX_LINES ? lines : [...lines.slice(0, MAX_LINES), `… ${lines.length - MAX_LINES} more lines`];
}

/** Compares status and body of a response with the recorded ones. `lines` describe the result for the user. */
export function compared(recorded: Response, now: Response): { same: boolean; lines: string[] } {
  if (recorded.status === LEFT)
    return { same: true, lines: ['the client left before it was answered: there is no response to compare with'] };
  const lines: string[] = [];
  if (recorded.status !== now.status) lines.push(`the status differs: recorded ${recorded.status}, now ${now.status}`);
  const missing = recorded.missing ?? now.missing;
  if (missing !== null) {
    const whose = recorded.missing === null ? '' : 'recorded ';
    const body = `the ${whose}body ${MISSING[missing]}`;
    return { same: lines.length === 0, lines: [...lines, `${body}: only the status is compared`] };
  }
  if (!isSame(recorded.body, now.body)) lines.push('the body differs: - recorded, + now', ...differing(recorded, now));
  return lines.length > 0 ? { same: false, lines } : { same: true, lines: ['same status and body as recorded'] };
}
