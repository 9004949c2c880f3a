/**
 * What Node is started with for a process of Backstep. Everything about a task that is under way is
 * young when it dies: with room for it there, it dies where that costs nothing, instead of being
 * carried into the old generation first.
 */
export const NODE_FLAGS: readonly string[] = ['--enable-source-maps', '--max-semi-space-size=32'];
