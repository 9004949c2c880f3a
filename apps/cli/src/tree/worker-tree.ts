import { type Command, Option } from 'commander';
import { type Bind, collect } from './call.js';

const EXAMPLES = `
Exit code of the program: 0 it succeeded, 75 it failed and may be tried again, others: it failed for
good. Parameters are on standard input; the output is the last JSON object of standard output,
or the file $BACKSTEP_OUTPUT. All other lines are kept with the attempt.

With --job-template each action is carried out by a Kubernetes Job instead. The template is the
manifest of a Job, as JSON, with expressions such as "{% cpu %}" for parameters of the action.

Examples:
  $ backstep worker --module vm --command create -- ./create.sh
  $ backstep worker --module vm --command create --command delete --slots 4 -- python3 vm.py
  $ backstep worker --module vm --command create=./create.sh --command 'delete=./delete.sh --all'
  $ backstep worker --module vm --command create --nice 10 --memory '{% mem & "G" %}' -- ./a.sh
  $ backstep worker --module vm --command create --command delete --job-template job.json`;

/** The command that carries out actions by programs. */
export function addWorkerCommand(root: Command, bind: Bind): void {
  const command = '--command <name[=line]>';
  const secret = new Option('--secret <member>', 'member of the output that is a secret');
  const worker = root
    .command('worker')
    .description('carry out actions by a program, one process for each')
    .argument('[cmd...]', 'the program and its arguments, after --')
    .requiredOption('--module <name>', 'whose actions')
    .addOption(
      new Option(command, 'that the program carries out, or this line of a shell').argParser(
        collect,
      ),
    )
    .option('--slots <number>', 'actions at a time (default: 1)')
    .option(
      '--lease <duration>',
      'how long an action stays with a silent worker (default: 30s, with Jobs 5m)',
    )
    .option('--dir <folder>', 'where each attempt gets a folder (default: that of the system)')
    .option('--nice <number>', 'niceness of the program, 0 to 19')
    .option('--memory <size>', 'address space of each process of the program, such as 2Gi')
    .option('--time-limit <duration>', 'how long the program may run')
    .option('--job-template <file>', 'manifest of the Kubernetes Job for each action, JSON')
    .option('--launcher <name>', 'whose Jobs a restart goes on with (default: the module)')
    .option('--namespace <name>', 'where Jobs are made (default: as the template or the pod)')
    .option('--kube-url <url>', 'API of the cluster (default: that of the pod it runs in)')
    .option('--kube-token-file <file>', 'token for it, read for each request')
    .option('--kube-ca-file <file>', 'authority of its certificate, PEM')
    .addOption(secret.argParser(collect))
    .option('--build <name>', 'name of the code, which is kept with each attempt')
    .addHelpText('after', EXAMPLES);
  bind(worker, async () => (await import('../commands/worker.js')).worker);
}
