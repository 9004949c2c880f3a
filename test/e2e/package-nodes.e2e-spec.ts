import { describe, expect, it, jest } from '@jest/globals';
import { Api } from '../load/index.js';
import { findNode } from '../nodes/find-node.js';
import { PackageProject } from '../package/package-project.js';

jest.setTimeout(300_000);

const isCi = process.env['CI'] === 'true';
const WHY = '.ci/install-tools has not been run';

/** The versions that people have besides the one that everything else is tried with. */
describe.each([22, 24, 26])('on Node %d', (major) => {
  const node = findNode(major);
  const tried = node === null && !isCi ? it.skip : it;

  tried('a new project installs, compiles, passes its test and runs', async () => {
    if (node === null) throw new Error(WHY);
    const project = new PackageProject(node);
    try {
      const version = await project.run(project.folder, 'node', '--version');
      expect(version.stdout).toMatch(new RegExp(`^v${major}\\.`));
      await project.begin();
      const tests = await project.run(project.path, 'npm', 'test');
      expect(tests).toMatchObject({ code: 0, stdout: expect.stringMatching(/pass 5\n/) });
      const { child, url } = await project.start();
      try {
        const api = new Api(url);
        const order = { item: 'chair', count: 1, address: 'here' };
        expect(await api.run('order', order)).toMatchObject({ status: 'succeeded' });
        const line = ['task', 'list', '--url', url, '-o', 'json'];
        const listed = await project.run(project.path, 'node_modules/.bin/backstep', ...line);
        expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('order') });
      } finally {
        process.kill(-child.pid!, 'SIGKILL');
      }
    } finally {
      project.remove();
    }
  });
});
