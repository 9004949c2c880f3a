export { FakeCluster } from './fake-cluster.js';
