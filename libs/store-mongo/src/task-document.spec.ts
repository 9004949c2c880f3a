import { describe, expect, it } from '@jest/globals';
import { BSON } from 'mongodb';
import type { Task } from '#core';
import { endedOf, eventfulTask, nextOf, sampleTask } from '#testing';
import { fromSafe, toSafe } from './bson-values.js';
import { commitUpdate } from './commit-update.js';
import { labelsToTexts, textsToLabels } from './labels.js';
import { StepLists } from './plan-document.js';
import { documentToTask, taskToDocument, type TaskDocument } from './task-document.js';

function throughBson(task: Task, lists: StepLists): Task {
  const bytes = BSON.serialize(taskToDocument(task, 'm', lists), { ignoreUndefined: true });
  return documentToTask(BSON.deserialize(bytes) as TaskDocument, lists);
}

describe('a stored task', () => {
  it('comes back as it was', () => {
    for (const task of [sampleTask(), eventfulTask(), endedOf(sampleTask())]) {
      expect(throughBson(task, new StepLists())).toEqual(task);
    }
  });

  it('shares its steps with other tasks of the same flow version', () => {
    const reading = new StepLists();
    const [one, two] = [sampleTask(), sampleTask()].map((task) => throughBson(task, reading));
    expect(one?.plan.steps).toBe(two?.plan.steps);
  });

  it('has a date for its moment only while it is live', () => {
    const lists = new StepLists();
    expect(taskToDocument(sampleTask(), 'm', lists).wakeAt).toBeInstanceOf(Date);
    expect(taskToDocument(endedOf(sampleTask()), 'm', lists)).not.toHaveProperty('wakeAt');
  });
});

describe('texts and labels', () => {
  it('survive UTF-8, and none becomes another one', () => {
    const texts = ['\ud800', '\ufffd', '\ufffdd800', '\ufffdfffd', 'a\u0000', '😀', ''];
    const stored = texts.map((text) => Buffer.from(toSafe(text)).toString());
    expect(new Set(stored).size).toBe(texts.length);
    expect(stored.map(fromSafe)).toEqual(texts);
  });

  it('keep names and values apart', () => {
    for (const labels of [{ 'a=b': 'c=d' }, { a: 'b=c=d' }, { '%3D': '%' }, { '': '=' }]) {
      expect(textsToLabels(labelsToTexts(labels))).toEqual(labels);
    }
    expect(labelsToTexts({ team: 'db' })).toEqual(['team=db']);
  });
});

describe('the update of a commit', () => {
  it('names only what changed', () => {
    const task = sampleTask();
    const runs = task.runs.map((run, n) => {
      return n === 0 ? { ...run, normal: { ...run.normal, attempts: 1 } } : run;
    });
    const { $set, $push, $unset } = commitUpdate(task, nextOf(task, { runs, token: 1 }), 'm');
    expect(Object.keys($set).sort()).toEqual(['journalSeq', 'revision', 'runs.0.normal', 'token']);
    expect(Object.keys($push).sort()).toEqual(['journal', 'writers']);
    expect($unset).toBeUndefined();
  });

  it('removes the moment of a task that has ended', () => {
    const task = sampleTask();
    expect(commitUpdate(task, endedOf(task), 'm').$unset).toEqual({ wakeAt: '' });
  });

  it('keeps the journal as long as the new one is', () => {
    const task = sampleTask();
    const next = nextOf(task);
    const trimmed = { ...next, journal: next.journal.slice(1) };
    const { journal } = commitUpdate(task, trimmed, 'm').$push as { journal: { $slice: number } };
    expect(journal.$slice).toBe(-1);
    const cleared = commitUpdate(task, nextOf(task, { journal: [] }), 'm');
    expect(cleared.$set['journal']).toEqual([]);
    expect(cleared.$push).not.toHaveProperty('journal');
  });
});
