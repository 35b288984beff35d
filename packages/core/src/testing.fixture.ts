export { describeWire } from './loop/wire-contract.fixture.ts';
