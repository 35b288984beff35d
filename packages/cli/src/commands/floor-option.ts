import { InvalidArgumentError, Option } from 'commander';
import { type Floor, parseFloors } from '../evaluate/index.ts';

export function floorOption(): Option {
  return new Option(
    '--floor <figures>',
    'fail if a figure is lower, such as recall@5=80 or hit@1=60,mrr=70 (percent)',
  ).argParser(readFloors);
}

function readFloors(text: string): readonly Floor[] {
  const floors = parseFloors(text);
  if (typeof floors === 'string') throw new InvalidArgumentError(floors);
  return floors;
}
