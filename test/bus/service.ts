/** A service that runs as two processes, for tests: with rooms, presence and broadcasts. */
import type { Test } from 'tap';
import { until } from '../patience.js';
import { Svcc } from '../svcc/svcc.js';
import { Peer } from '../web/websocket/peers.js';
import { get } from '../web/support/serve.js';

/** Each process tells its process number: workers share a port. */
const PROGRAM = `me = file_read("/proc/self/stat").split(" ")[0].to_i
app = web_app()
app.set("ping_seconds", 600)
app.set("bus", env("BUS_URL")) if env("BUS_URL")
app.websocket("/rooms/:room") do |ws|
  room = ws.params["room"]
  if ws.query["name"]
    ws.join(room, {name: ws.query["name"]})
  else
    ws.join(room)
  end
  ws.send({me: me})
  while (msg = ws.recv()) != nil
    if msg == "leave"
      ws.leave(room)
      ws.send("left")
    else
      ws.send("reached #{app.rooms[room].send(msg, except: ws)}")
    end
  end
end
app.websocket("/bytes", binary: true) do |ws|
  ws.join("bytes")
  ws.send({me: me})
  app.rooms["bytes"].send(ws.recv(), except: ws)
  ws.recv
end
app.rooms.on_gap { |seconds| puts "gap #{seconds.is_a?(Float)}" }
app.get("/room/:name") { |req| {me: me, size: app.rooms[req.params["name"]].size, members: app.rooms[req.params["name"]].members.map { |m| m["name"] }.sort, names: app.rooms.names.sort} }
app.get("/all") { |req| {me: me, reached: app.broadcast("/rooms/:room", "to \\0 all ü😀")} }
app.run(0)
`;

/** What a process says about a room. */
export interface RoomAnswer {
  me: number;
  size: number;
  members: string[];
  names: string[];
}

/** Two processes that serve the same program. */
export class Service {
  /** Process numbers. */
  readonly ids: number[] = [];

  private constructor(
    private readonly test: Test,
    readonly servers: readonly Svcc[],
    readonly ports: readonly number[],
  ) {}

  /** Two processes with nothing in common but the address of a bus. */
  static async hosts(test: Test, urls: readonly string[]): Promise<Service> {
    const cwd = test.testdir({ 'app.svc': PROGRAM });
    return Service.start(test, urls.map((url) => run(test, cwd, [], { BUS_URL: url }))); // prettier-ignore
  }

  /** Two workers on one port. */
  static async workers(test: Test): Promise<Service> {
    return Service.start(test, [run(test, test.testdir({ 'app.svc': PROGRAM }), ['--workers', '2'], {})]);
  }

  private static async start(test: Test, servers: Svcc[]): Promise<Service> {
    const ports = await Promise.all(servers.map((server) => server.port()));
    const service = new Service(test, servers, ports);
    await until('both processes', async () => {
      for (const port of ports) {
        const { me } = JSON.parse((await get(port, '/room/none')).body) as RoomAnswer;
        if (!service.ids.includes(me)) service.ids.push(me);
      }
      return service.ids.length === 2;
    });
    return service;
  }

  private portOf(process: number): number {
    return this.ports[process] ?? this.ports[0];
  }

  /**
   * Opens a WebSocket to one of the processes. Takes its greeting, and what its room has received before that. Connects
   * again if the room has received more than the connection could take.
   */
  async open(process: number, path: string): Promise<Peer> {
    return until('a connection to the process', async () => {
      const peer = await Peer.open(this.test, this.portOf(process), path);
      let text = await peer.nextIfAny();
      while (text?.startsWith('{"me":') === false) text = await peer.nextIfAny();
      if (text === null) return null;
      const { me } = JSON.parse(text) as { me: number };
      if (me === this.ids[process]) return peer;
      peer.ws.terminate();
      await peer.closed();
      return null;
    });
  }

  /** The answer of one of the processes to a GET request. */
  ask<T extends { me: number }>(process: number, path: string): Promise<T> {
    return until('an answer of the process', async () => {
      const answer = JSON.parse((await get(this.portOf(process), path)).body) as T;
      return answer.me === this.ids[process] ? answer : null;
    });
  }

  /** Waits until a process says that a room has these members with names, and so many in all. */
  async shows(process: number, room: string, size: number, members: string[] = []): Promise<void> {
    await until(`a room with ${size} members`, async () => {
      const answer = await this.ask<RoomAnswer>(process, `/room/${room}`);
      return answer.size === size && answer.members.join() === members.join();
    });
  }
}

function run(test: Test, cwd: string, flags: string[], env: Record<string, string>): Svcc {
  const server = new Svcc(['run', ...flags, 'app.svc'], { cwd, env });
  test.teardown(() => server.child.kill('SIGKILL'));
  return server;
}
