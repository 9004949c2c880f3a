import { describe, expect, it } from '@jest/globals';
import { loadSettings, settingWarnings } from './index.js';
import { load, problemsOf } from './problems-spec.js';

/** A password that must be in no sentence. */
const PASSWORD = 'hidden-pw';

type Case = readonly [variable: string, url: string];

const REFUSED: readonly Case[] = [
  ['BACKSTEP_TRANSPORT', `amqp://me:${PASSWORD}@broker`],
  ['BACKSTEP_TRANSPORT', `amqp://me:${PASSWORD}@10.0.0.5:5672/v`],
  ['BACKSTEP_TRANSPORT', `amqp://guest:${PASSWORD}@broker`],
  ['BACKSTEP_TRANSPORT', `amqps://me:${PASSWORD}@one,amqp://me:${PASSWORD}@two`],
  ['BACKSTEP_TRANSPORT', `amqp://me:${PASSWORD}@[fd00::1]:5672`],
  ['BACKSTEP_TRANSPORT', `amqp://me:${PASSWORD}@localhost.example`],
  ['BACKSTEP_STORE', `mongodb://me:${PASSWORD}@db/backstep`],
  ['BACKSTEP_STORE', `mongodb://me:${PASSWORD}@127.0.0.1:1,db:2/backstep?replicaSet=rs0`],
  ['BACKSTEP_STORE', `mongodb://me:${PASSWORD}@db/backstep?tls=false`],
  ['BACKSTEP_STORE', `mongodb://me:${PASSWORD}@db/backstep?appName=tls=true`],
  ['BACKSTEP_STORE', `mongodb+srv://me:${PASSWORD}@db.example/backstep?tls=false`],
  ['BACKSTEP_MYSQL_URL', `mysql://root:${PASSWORD}@db/`],
  ['BACKSTEP_MYSQL_URL', `mysql://root:${PASSWORD}@db/?ssl=false`],
  ['BACKSTEP_MYSQL_URL', `mysql://root@db/?password1=${PASSWORD}`],
  ['BACKSTEP_ALERT_WEBHOOK', `http://me:${PASSWORD}@hooks.example/`],
  ['BACKSTEP_ALERT_WEBHOOK', `http://${PASSWORD}@hooks.example/`],
];

const FINE: readonly Case[] = [
  ['BACKSTEP_TRANSPORT', `amqps://me:${PASSWORD}@broker`],
  ['BACKSTEP_TRANSPORT', `amqp://me:${PASSWORD}@127.0.0.1:5672`],
  ['BACKSTEP_TRANSPORT', `amqp://me:${PASSWORD}@127.1.2.3`],
  ['BACKSTEP_TRANSPORT', `amqp://me:${PASSWORD}@localhost`],
  ['BACKSTEP_TRANSPORT', `amqp://me:${PASSWORD}@[::1]:5672`],
  ['BACKSTEP_TRANSPORT', 'amqp://guest:guest@broker'],
  ['BACKSTEP_TRANSPORT', 'amqp://broker'],
  ['BACKSTEP_TRANSPORT', 'amqp://me@broker'],
  ['BACKSTEP_STORE', 'mongodb://one,two/backstep?replicaSet=rs0'],
  ['BACKSTEP_STORE', 'mongodb://me@db/backstep'],
  ['BACKSTEP_STORE', `mongodb://me:${PASSWORD}@127.0.0.1:1,[::1]:2,LOCALHOST/backstep`],
  ['BACKSTEP_STORE', `mongodb://me:${PASSWORD}@%2Ftmp%2Fmongodb-27017.sock/backstep`],
  ['BACKSTEP_STORE', `mongodb://me:${PASSWORD}@db/backstep?replicaSet=rs0&TLS=true`],
  ['BACKSTEP_STORE', `mongodb://me:${PASSWORD}@db?ssl=true`],
  ['BACKSTEP_STORE', `mongodb+srv://me:${PASSWORD}@db.example/backstep`],
  ['BACKSTEP_MYSQL_URL', 'mysql://root@db/'],
  ['BACKSTEP_MYSQL_URL', `mysql://root:${PASSWORD}@127.0.0.1:3306/`],
  ['BACKSTEP_MYSQL_URL', `mysql://root:${PASSWORD}@db/?socketPath=/run/mysqld.sock`],
  ['BACKSTEP_MYSQL_URL', `mysql://root:${PASSWORD}@db/?ssl={"verifyIdentity":true}`],
  ['BACKSTEP_ALERT_WEBHOOK', `https://me:${PASSWORD}@hooks.example/`],
  ['BACKSTEP_ALERT_WEBHOOK', 'http://hooks.example/'],
  ['BACKSTEP_ALERT_WEBHOOK', `http://me:${PASSWORD}@127.0.0.1:9/`],
];

function envOf([variable, url]: Case): Record<string, string> {
  const isMysql = variable === 'BACKSTEP_MYSQL_URL';
  return { [variable]: url, ...(isMysql && { BACKSTEP_MYSQL_PROVIDER: 'server' }) };
}

describe('a password for another machine', () => {
  it.each(REFUSED)('is not sent in clear text: %s=%s', (...each) => {
    const problems = problemsOf(envOf(each));
    expect(problems).toEqual([
      expect.stringMatching(
        new RegExp(`^${each[0]}: would send a password .* set BACKSTEP_INSECURE=on where `),
      ),
    ]);
    expect(problems.join()).not.toContain(PASSWORD);
  });

  it.each(REFUSED)('goes out with a warning where somebody wrote so: %s=%s', (...each) => {
    const settings = load({ ...envOf(each), BACKSTEP_INSECURE: 'on' });
    const [variable] = each;
    const warning = `${variable} sends a password to another machine in clear text`;
    expect(settingWarnings(settings)).toEqual([warning]);
  });

  it.each(FINE)('needs nothing where it is safe, or there is none: %s=%s', (...each) => {
    expect(problemsOf(envOf(each))).toEqual([]);
    expect(settingWarnings(load(envOf(each)))).toEqual([]);
  });

  it('is refused together with everything else that is wrong', () => {
    const env = { BACKSTEP_TRANSPORT: 'amqp://me:pw@broker', BACKSTEP_STORE: 'mongodb://me:pw@db' };
    const problems = problemsOf({ ...env, BACKSTEP_INSECURE: 'maybe' });
    expect(problems.map((problem) => problem.slice(0, 20))).toEqual([
      'BACKSTEP_INSECURE (e',
      'BACKSTEP_STORE: woul',
      'BACKSTEP_TRANSPORT: ',
    ]);
  });

  it('is warned of where settings are only shown: nothing is sent', () => {
    const env = { BACKSTEP_TRANSPORT: `amqp://me:${PASSWORD}@broker` };
    const shown = loadSettings({ cwd: '/nowhere', mode: 'start', isForShow: true, env });
    expect(settingWarnings(shown)).toEqual(problemsOf(env));
  });

  it('counts only in a setting that is used', () => {
    expect(problemsOf({ BACKSTEP_MYSQL_URL: 'mysql://root:pw@db/' })).toEqual([]);
  });
});
