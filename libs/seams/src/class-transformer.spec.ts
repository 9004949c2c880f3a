import { createRequire } from 'node:module';
import { expect, it } from '@jest/globals';
import { instanceOf, transformations } from './class-transformer.js';

// As the seam loads its part: Node 20 may give an import another copy where it has hooks.
const { Exclude, Expose, Transform, TransformationType, Type } = createRequire(import.meta.url)(
  'class-transformer',
) as typeof import('class-transformer');

class Inner {}

@Exclude()
class Sample {
  @Type(() => Inner)
  inner!: Inner;

  @Expose({ name: 'other' })
  named!: string;

  @Exclude()
  secret!: string;

  @Transform(({ value }: { value: unknown }) => value)
  changed!: string;
}

it('decorators are kept where they are looked for', () => {
  const way = TransformationType.PLAIN_TO_CLASS;
  expect(transformations.getStrategy(Sample)).toBe('excludeAll');
  expect(transformations.findTypeMetadata(Sample, 'inner').typeFunction()).toBe(Inner);
  expect(transformations.findExposeMetadata(Sample, 'named').options).toEqual({ name: 'other' });
  expect(transformations.findExcludeMetadata(Sample, 'secret')).toBeDefined();
  expect(transformations.findTransformMetadatas(Sample, 'changed', way)).toHaveLength(1);
});

class Outer {
  @Type(() => Inner)
  inner!: Inner;
}

it('a value without a class is what was given, and what was given stays as it was', () => {
  const given = { inner: { body: { constructor: 'x' } }, free: [{ constructor: {}, valueOf: 1 }] };
  const before = JSON.stringify(given);
  const made = instanceOf(Outer, given) as Outer;
  expect([made.constructor, made.inner.constructor]).toEqual([Outer, Inner]);
  expect([JSON.stringify(made), JSON.stringify(given)]).toEqual([before, before]);
});
