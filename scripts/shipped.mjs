/**
 * @typedef {object} LockedPackage
 * @property {string} [version]
 * @property {{node?: string}} [engines]
 * @property {boolean} [optional]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [optionalDependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, {optional?: boolean}>} [peerDependenciesMeta]
 */

/**
 * The packages that an installation of the packed package brings, on any platform. The flags
 * `dev` and `devOptional` of a lock file do not tell: a peer dependency has them where a tool
 * needs it too.
 *
 * @param {Record<string, LockedPackage>} packages `packages` of `package-lock.json`.
 * @returns {Set<string>} Their places, such as `node_modules/rxjs`.
 */
export function shippedPackages(packages) {
  const shipped = new Set();
  const follow = (from) => {
    for (const name of neededBy(packages[from])) {
      const place = resolve(packages, from, name);
      if (place === null || shipped.has(place)) continue;
      shipped.add(place);
      follow(place);
    }
  };
  follow('');
  return shipped;
}

/** The name of the package in a place, which may be below that of another. */
export function nameOf(place) {
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function neededBy({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }) {
  const isOptional = (name) => peerDependenciesMeta?.[name]?.optional === true;
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !isOptional(name));
  const own = { ...dependencies, ...optionalDependencies };
  return [...Object.keys(own), ...peers];
}

/** As Node resolves a name: in the nearest folder upwards that has it. */
function resolve(packages, from, name) {
  for (let at = from; ; at = parentOf(at)) {
    const place = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (at === '') return null;
  }
}

function parentOf(place) {
  const end = place.lastIndexOf('node_modules/');
  return end <= 0 ? '' : place.slice(0, end - 1);
}
