import net, { type Socket } from 'node:net';
import tls from 'node:tls';
import type { Clock } from '#ports';

const GREETING = Buffer.from('AMQP\0\0\x09\x01', 'latin1');
const METHOD_FRAME = 1;
const FRAME_END = 0xce;
/** Type, channel and size before a frame's payload, and one byte after it. */
const HEAD_BYTES = 7;
/** The class of all methods of a connection, and those of an opening. */
const CONNECTION = 10;
const [START, START_OK, TUNE, TUNE_OK, OPEN, CLOSE] = [10, 11, 30, 31, 40, 50] as const;
/** A broker says why it refuses a login only to clients that say that they understand. */
const CAPABILITY = 'authentication_failure_close';
/** Much more than the frames of an opening have. */
const ANSWER_BYTES_MAX = 262_144;

/** A broker that lets nobody in answers at once, or not at all, in milliseconds. */
const ANSWER_MS = 2_000;

/** The reason for which a broker closed a connection that was being opened. */
interface Refusal {
  readonly code: number;
  readonly text: string;
}

/**
 * Asks a broker why it refuses connections, by opening one with the frames alone: the driver keeps
 * the text of a close frame to itself while it opens. Null: it refused nothing, or did not say why.
 */
export function refusalOf(url: string, clock: Clock): Promise<Refusal | null> {
  const place = new URL(url);
  return new Promise((resolve) => {
    const socket = connectTo(place);
    let received: Buffer = Buffer.alloc(0);
    const end = (refusal: Refusal | null): void => {
      timer.cancel();
      socket.destroy();
      resolve(refusal);
    };
    const timer = clock.after(ANSWER_MS, () => end(null));
    socket.on('error', () => end(null));
    socket.on('close', () => end(null));
    socket.once('connect', () => socket.write(GREETING));
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length > ANSWER_BYTES_MAX) return end(null);
      for (let frame = frameOf(received); frame !== null; frame = frameOf(received)) {
        received = received.subarray(HEAD_BYTES + frame.length + 1);
        const refusal = answer(socket, frame, place);
        if (refusal !== undefined) return end(refusal);
      }
    });
  });
}

function connectTo({ hostname, port, protocol }: URL): Socket {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol === 'amqp:') return net.connect({ host, port: Number(port) || 5672 });
  const name = net.isIP(host) === 0 ? { servername: host } : {};
  return tls.connect({ host, port: Number(port) || 5671, ...name });
}

/** The payload of the first whole frame, or null. */
function frameOf(received: Buffer): Buffer | null {
  if (received.length < HEAD_BYTES) return null;
  const end = HEAD_BYTES + received.readUInt32BE(3);
  return received.length > end ? received.subarray(HEAD_BYTES, end) : null;
}

/** Undefined: the opening goes on. */
function answer(socket: Socket, frame: Buffer, place: URL): Refusal | null | undefined {
  const isOfConnection = frame.length >= 4 && frame.readUInt16BE(0) === CONNECTION;
  const method = isOfConnection ? frame.readUInt16BE(2) : null;
  if (method === START) return void socket.write(startOk(place));
  if (method === TUNE) {
    // As the broker would have it.
    socket.write(methodFrame(TUNE_OK, frame.subarray(4)));
    return void socket.write(methodFrame(OPEN, openArguments(place)));
  }
  if (method !== CLOSE) return null;
  const length = frame.readUInt8(6);
  return { code: frame.readUInt16BE(4), text: frame.subarray(7, 7 + length).toString() };
}

function startOk({ password, username }: URL): Buffer {
  const [user, pass] = username + password === '' ? ['guest', 'guest'] : [username, password];
  const login = `\0${decodeURIComponent(user)}\0${decodeURIComponent(pass)}`;
  const capabilities = Buffer.concat([short(CAPABILITY), Buffer.from('t\x01', 'latin1')]);
  const properties = Buffer.concat([short('capabilities'), Buffer.from('F'), long(capabilities)]);
  const parts = [long(properties), short('PLAIN'), long(Buffer.from(login)), short('en_US')];
  return methodFrame(START_OK, Buffer.concat(parts));
}

function openArguments({ pathname }: URL): Buffer {
  const vhost = decodeURIComponent(pathname.slice(1)) || '/';
  return Buffer.concat([short(vhost), short(''), Buffer.alloc(1)]);
}

function methodFrame(method: number, content: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES + 4);
  head.writeUInt8(METHOD_FRAME, 0);
  head.writeUInt32BE(4 + content.length, 3);
  head.writeUInt16BE(CONNECTION, HEAD_BYTES);
  head.writeUInt16BE(method, HEAD_BYTES + 2);
  return Buffer.concat([head, content, Buffer.of(FRAME_END)]);
}

function short(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

function long(bytes: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(bytes.length, 0);
  return Buffer.concat([size, bytes]);
}
