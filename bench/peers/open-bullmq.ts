import path from 'node:path';
import { isMissing, type RedisOptions, startRedis } from '../../test/servers/index.js';
import type { Absent, Bench } from '../benchmark.js';
import { Program } from '../program.js';
import { Site } from '../site.js';

/** BullMQ on a Redis of its own. */
export async function openBullmq(
  bench: Bench,
  appendfsync: NonNullable<RedisOptions['appendfsync']>,
): Promise<Site | Absent> {
  const redis = await startRedis({ own: true, appendfsync });
  if (isMissing(redis)) return { absent: `no Redis: ${redis.why}` };
  const folder = path.join(bench.folder, `bullmq-${appendfsync}`);
  const env = { PEER_REDIS_URL: redis.url, PEER_CONCURRENCY: String(bench.sizes.inFlight) };
  try {
    const lead = await Program.start({ program: 'peers/bullmq', name: 'bullmq', folder, env });
    return Site.of({ lead, servers: [redis], release: () => redis.stop() });
  } catch (error) {
    await redis.stop();
    throw error;
  }
}
