/**
 * Loaded first into jest and into the processes of specs. No time limit of a test ends a loop that
 * never returns to the event loop, so a thread looks at it from beside: it writes where the loop
 * is, and ends the process. The spec counts as failed, and the run goes on.
 */
import { writeSync } from 'node:fs';
import { Session } from 'node:inspector';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

/** Longer than any spec computes without a pause. */
const STUCK_MS = 600_000;
/** One sample may show nothing but the machinery of promises. */
const SAMPLES = 10;
const BETWEEN_MS = 7;
const LOOK_MS = 10_000;

if (isMainThread) {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.add(beats, 0, 1), LOOK_MS / 2).unref();
  new Worker(new URL(import.meta.url), { workerData: { beats }, execArgv: [] }).unref();
} else {
  const { beats } = (workerData ?? {}) as { readonly beats?: unknown };
  if (beats instanceof Int32Array) watch(beats);
}

function watch(beats: Int32Array): void {
  let last = 0;
  let since = performance.now();
  const timer = setInterval(() => {
    const now = Atomics.load(beats, 0);
    if (now !== last) since = performance.now();
    last = now;
    if (performance.now() - since < STUCK_MS) return;
    clearInterval(timer);
    // A thread that waits for nothing but the debugger would end.
    setInterval(() => undefined, LOOK_MS);
    tellAndEnd();
  }, LOOK_MS);
}

/** Writes past the streams of the process, which only a turn of the event loop would empty. */
function tellAndEnd(): void {
  const session = new Session();
  session.connectToMainThread();
  const scripts = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ params }) => scripts.set(params.scriptId, params.url));
  writeSync(2, `No turn of the event loop for ${STUCK_MS / 60_000} minutes:\n`);
  let samples = 0;
  session.on('Debugger.paused', ({ params }) => {
    const lines = params.callFrames.map(({ functionName, location }) => {
      const place = `${scripts.get(location.scriptId)}:${location.lineNumber + 1}`;
      return `    at ${functionName || '(anonymous)'} ${place}\n`;
    });
    writeSync(2, `${lines.join('')}\n`);
    samples += 1;
    if (samples === SAMPLES) process.kill(process.pid, 'SIGKILL');
    session.post('Debugger.resume');
    setTimeout(() => session.post('Debugger.pause'), BETWEEN_MS);
  });
  session.post('Debugger.enable');
  session.post('Debugger.pause');
}
