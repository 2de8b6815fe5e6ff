// The editor's side tabs, with the server's findings about the text.
import { html } from '../frame/dom.js';
import { attempt } from '../frame/dialog.js';
import { featuresPanel } from './features.js';
import { blocksPanel } from './panels.js';
import { groupsOf, problemClass, problemList, setProblems } from '../frame/problems.js';
import { tabs } from '../frame/tabs.js';

/**
 * @param text    the text in the editor
 * @param isDraft true for a template's draft, false for a block
 * @param before  tabs before the common tabs
 * @param after   tabs after the common tabs
 * @param layout  returns the page's panes
 * @param path    URL of the text
 * @param check   checks the text again
 * @return {node, show, refresh, setCounter, goTo, goToVariable}; `show` receives the results of a check
 */
export function detailsTabs({ text, isDraft, before, after, layout, path, check }) {
  const problemsFound = html`<div></div>`;
  const features = featuresPanel({
    path: isDraft ? path : null, goTo, onClients: check, accepted: () => text.saved().accepted ?? [],
    onAccepted: accepted => text.setDetails({ ...text.saved(), accepted }),
  });
  const checks = html`<div>${problemsFound}${features.node}</div>`;
  const blocks = blocksPanel(goTo);
  const { variables } = text;
  const { node, refresh, setCounter, show: showTab } = tabs(`About this ${isDraft ? 'template' : 'block'}`, [
    ...before,
    { name: 'Data', panel: variables.node },
    { name: 'Blocks', panel: blocks.node },
    { name: 'Checks', panel: checks },
    ...after,
  ]);

  /** Shows the results of a check. */
  function show({ problems: all, moreProblems, ...found }) {
    const sets = isDraft ? setProblems(found.sets) : [];
    // Blocks have no subject to report problems in.
    const problems = [...(isDraft ? all : all.filter(problem => problem.field !== 'subject')), ...sets];
    text.menu.learn([...found.variables.map(variable => variable.name), ...variables.names()]);
    variables.show(found);
    blocks.show(found.blocks, isDraft ? text.saved().stale : []);
    problemsFound.replaceChildren(problemList(problems, moreProblems, goTo));
    features.show(found.features ?? []);
    setCounter('Data', found.variables.length + found.moreVariables || null);
    setCounter('Blocks', found.blocks.length || null);
    setCounter('Checks', groupsOf(problems).length + moreProblems || null, problemClass(problems));
  }

  /** Goes to a test data set, the subject or a line of the HTML; otherwise to the text. */
  function goTo({ field, line, set }) {
    if (set) {
      showVariables(() => variables.goToSet(set));
      return;
    }
    if (field === 'subject') {
      text.subject.focus();
    } else if (line) {
      layout().showText();
      text.code.goToLine(line);
    } else {
      layout().show('Text');
    }
  }

  function showVariables(then) {
    layout().showDetails();
    showTab('Data');
    attempt(then);
  }

  return { node, show, refresh, setCounter, goTo, goToVariable: names => showVariables(() => variables.goToSample(names)) };
}
