/**
 * What Node is started with for a process of Backstep. Everything about a task that is under way is
 * young when it dies: with room for it there, it dies where that costs nothing, instead of being
 * carried into the old generation first. With half the room, a busy process does so at times, and
 * then goes on doing it: what was carried away keeps what followed it alive, so less room is left.
 */
export const NODE_FLAGS: readonly string[] = ['--enable-source-maps', '--max-semi-space-size=64'];
