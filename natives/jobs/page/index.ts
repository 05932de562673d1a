/** `app.jobs_page`: a page with the jobs of a queue, for requests that a function of the program allows. */
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { TraceLine } from '../../../vm/values/error.js';
import { Hash } from '../../../vm/values/hash.js';
import type { Value } from '../../../vm/values/value.js';
import { csrfCheck, csrfToken, type SessionData } from '../../auth/csrf.js';
import { builtin } from '../../builtin.js';
import { atOnce } from '../../data/asking.js';
import type { App } from '../../web/app/app.js';
import { addEndpoint, checkPagePath, pagePath } from '../../web/app/endpoint.js';
import type { Request } from '../../web/request/request.js';
import { HTML, Response, TEXT } from '../../web/response/response.js';
import { sessionOf } from '../../web/sessions/saving.js';
import { askTables, listed, retryJob, STATES } from '../listing.js';
import type { JobQueue } from '../queue.js';
import { countsIn } from '../store.js';
import { pageOf, STYLE } from './html.js';

/** Maximum jobs shown on a page. */
const PER_PAGE = 50;
const MAX_PAGE = 1_000_000;

/** Content-Security-Policy: the page loads nothing, and its forms are sent to this application. */
function policy(): string {
  const hash = builtin('node:crypto').createHash('sha256').update(STYLE).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;
}

/** Calls `then` with the session of a request; with an empty one if the application has none. */
function withSession(
  vm: NativeContext,
  request: Request,
  then: (session: SessionData, isOwn: boolean) => Value | undefined,
): Value | undefined {
  if (request.sessionSlot === null) return then({ data: new Hash() }, false);
  return sessionOf(vm, request, 'jobs_page()', (session) => then(session, true));
}

/** Reads the selected state, name and page from a query or a form. Invalid values become defaults. */
function chosen(values: Hash): { state: string; name: string | null; page: number } {
  const text = (key: string): string | null => {
    const value = values.get(key);
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const state = text('state');
  const page = Number(text('page') ?? 1);
  return {
    state: STATES.find((known) => known === state) ?? 'dead',
    name: text('name'),
    page: Number.isInteger(page) && page >= 1 && page <= MAX_PAGE ? page : 1,
  };
}

function show(vm: NativeContext, queue: JobQueue, here: string, request: Request): Value | undefined {
  const { state, name, page } = chosen(request.query);
  return withSession(vm, request, (session, isOwn) => {
    const token = isOwn ? `<input type="hidden" name="_csrf" value="${csrfToken(session)}">` : '';
    return askTables(
      vm,
      queue,
      'SELECT FROM svc_jobs',
      async ({ session: database, cancel }) => {
        const wanted = { state, name, limit: PER_PAGE + 1, offset: (page - 1) * PER_PAGE };
        const counts = await countsIn(database, queue.db.engine, cancel);
        return { counts, jobs: await listed(database, queue.db.engine, wanted, cancel) };
      },
      atOnce(({ counts, jobs }) => {
        const hasMore = jobs.length > PER_PAGE;
        const { label } = queue;
        const view = { label, counts, state, name, page, jobs: jobs.slice(0, PER_PAGE), hasMore, here, token };
        const response = new Response(200, pageOf(view), HTML);
        response.addField('Content-Security-Policy', policy());
        response.addField('Cache-Control', 'no-store');
        return response;
      }),
    );
  });
}

function retryFrom(vm: NativeContext, queue: JobQueue, here: string, request: Request): Value | undefined {
  return withSession(vm, request, (session) => {
    if (!csrfCheck(request, session)) return new Response(403, 'Forbidden', TEXT);
    const id = request.form.get('id');
    if (typeof id !== 'string' || !/^\d{1,18}$/.test(id)) return new Response(400, 'Bad Request', TEXT);
    const { state, name } = chosen(request.form);
    return retryJob(vm, queue, BigInt(id), () => {
      const response = new Response(303, '', null);
      const query = new URLSearchParams({ state, ...(name === null ? {} : { name }) });
      response.addField('Location', `${here === '' ? './' : `../${here}`}?${query.toString()}`);
      return response;
    });
  });
}

/** The arguments of `app.jobs_page`. */
interface Page {
  readonly path: string;
  readonly queue: JobQueue;
  /** Function of the program, called with each request. nil or false: the answer is 403; a response is the answer. */
  readonly guard: Value;
  /** Position in the program. */
  readonly place: TraceLine | null;
}

/** Adds the page at its path and its form below it. @throws ValueError */
export function addJobsPage(vm: NativeContext, app: App, { path, queue, guard, place }: Page): void {
  checkPagePath('jobs_page', 'path', path, '/jobs');
  const { base, pattern: own } = pagePath(path);
  const here = base.slice(base.lastIndexOf('/') + 1);
  const add = (method: string, pattern: string, view: typeof show): void => {
    const answer = (running: NativeContext, request: Request): Value | undefined =>
      running.callThen(guard, [request], {
        done: (allowed) => {
          if (allowed instanceof Response) return allowed;
          const isAllowed = allowed !== null && allowed !== false;
          return isAllowed ? view(running, queue, here, request) : new Response(403, 'Forbidden', TEXT);
        },
      });
    addEndpoint(vm, app, { method, pattern, place, answer });
  };
  add('GET', own, show);
  add('POST', `${base}/retry`, retryFrom);
}
