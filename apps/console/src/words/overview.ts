/** Words of the first page, and of the views that the list of tasks keeps. */
export const OVERVIEW = {
  views: {
    title: 'Saved views',
    save: 'Save this view',
    saveTitle: 'Save view',
    name: 'Name',
    nameMissing: 'Give it a name.',
    keep: 'Save',
    about: 'It is kept in this browser. Its address can be sent to others.',
    remove: 'Remove view',
    copyLink: 'Copy link',
  },
  throughput: {
    title: 'Tasks by when they were created',
    span: 'Time',
    spans: { '15m': 'Last 15 minutes', '1h': 'Last hour', '24h': 'Last 24 hours' },
    groups: {
      succeeded: 'Succeeded',
      rolled_back: 'Rolled back',
      person: 'Needs a person',
      moving: 'Under way',
      terminated: 'Terminated',
    },
    created: 'Created',
    from: 'From',
    none: 'No task was created in this time.',
    cut: 'There were more than can be counted at once: older ones are left out.',
    table: 'As a table',
  },
  failing: {
    title: 'Failing steps',
    none: 'No task of this time has failed.',
    about: 'Among the newest tasks of this time that failed or are on hold, 50 at most.',
  },
} as const;
