/**
 * Node's flags for a process of Backstep. The young generation is large enough for all objects of
 * tasks under way: they die there, where that costs nothing, instead of being carried into the old
 * generation first. With half the room, a busy process does so at times, and then goes on doing it:
 * an object that was carried away keeps later ones alive, so less room is left.
 */
export const NODE_FLAGS: readonly string[] = ['--enable-source-maps', '--max-semi-space-size=64'];
