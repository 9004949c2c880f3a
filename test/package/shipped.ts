/** The members of a package in `package-lock.json` that are read. */
export interface LockedPackage {
  readonly name?: string;
  readonly version?: string;
  readonly optional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** `packages` of `package-lock.json`: packages by their places, such as `node_modules/rxjs`. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

/**
 * The places of the packages that an installation of the packed package brings, on any platform.
 * The flags `dev` and `devOptional` of a lock file do not tell: a peer dependency has them where a
 * tool needs it too.
 */
export function shippedPackages(packages: LockedPackages): ReadonlySet<string> {
  const shipped = new Set<string>();
  const follow = (from: string): void => {
    for (const name of neededBy(packages[from] ?? {})) {
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
export function nameOf(place: string): string {
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function neededBy(locked: LockedPackage): readonly string[] {
  const isOptional = (name: string): boolean =>
    locked.peerDependenciesMeta?.[name]?.optional === true;
  const peers = Object.keys(locked.peerDependencies ?? {}).filter((name) => !isOptional(name));
  const own = { ...locked.dependencies, ...locked.optionalDependencies };
  return [...Object.keys(own), ...peers];
}

/** As Node resolves a name: in the nearest folder upwards that has it. */
function resolve(packages: LockedPackages, from: string, name: string): string | null {
  for (let at = from; ; at = parentOf(at)) {
    const place = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (at === '') return null;
  }
}

function parentOf(place: string): string {
  const end = place.lastIndexOf('node_modules/');
  return end <= 0 ? '' : place.slice(0, end - 1);
}
