const lab = (command: string, parameters: object = {}) => ({ module: 'lab', command, parameters });

const effect = (name: string) => ({
  name,
  normal: lab('effect', { name }),
  rollback: lab('undo_effect', { name }),
});

const upgrade = (name: string) => ({
  name,
  normal: lab('sleep', { ms: 20 }),
  rollback: lab('succeed'),
});

/** Flows of a team that runs databases, as the pictures show them. */
export const PICTURED_FLOWS = {
  'move-database': {
    description: 'Moves a database to another host, once its owners agree.',
    steps: [
      effect('snapshot'),
      {
        name: 'agree',
        approve: {
          title: 'Move the database "orders" to host-2 now? It is read-only for about a minute.',
        },
      },
      effect('copy'),
      effect('switch'),
    ],
  },
  'rotate-certificate': {
    description: 'Gets a new certificate and puts it into the proxies.',
    steps: [
      effect('order'),
      {
        name: 'verify',
        normal: {
          ...lab('flaky', { failures: 100_000 }),
          retry: { attempts: 100, backoff: 'fixed', delay: '1s' },
        },
        rollback: lab('succeed'),
      },
      effect('install'),
    ],
  },
  'resize-fleet': {
    description: 'Resizes each database of a fleet, five at a time.',
    steps: [
      effect('reserve'),
      {
        name: 'resize',
        foreach: {
          in: '{% [1..50] %}',
          as: 'number',
          concurrency: 5,
          steps: [
            {
              name: 'resize-one',
              normal: lab('effect', { name: '{% "db-" & $string($number) %}' }),
              rollback: lab('undo_effect'),
            },
          ],
        },
      },
    ],
  },
  'delete-tenant': {
    description: 'Removes all that a tenant has.',
    steps: [
      effect('lock-accounts'),
      {
        name: 'drop-databases',
        normal: lab('succeed'),
        rollback: lab('fail', { kind: 'terminal', message: 'backup store: permission denied' }),
      },
      {
        name: 'remove-dns',
        normal: lab('fail', { kind: 'terminal', message: 'zone tenants.test is frozen' }),
        rollback: lab('succeed'),
      },
    ],
  },
  'upgrade-fleet': {
    description: 'Upgrades 200 databases one after another.',
    steps: Array.from({ length: 200 }, (_, n) => upgrade(`db-${n + 1}`)),
  },
};
