import {
  LANGUAGES,
  type Operation,
  type Parameter,
  callSamples,
  endpointOf,
  exampleCall,
  groupOf,
  groupsOf,
  introduction,
  priceSentence,
  problemsOf,
} from '#libs/contracts';
import { type Markup, html, markdown, markdownLine } from '#libs/public-http';
import { callForm, keyField } from './call-form.js';

export interface Origins {
  /** The API's origin, without a trailing slash. */
  apiUrl: string;
  dashboardUrl: string;
}

/** Returns the reference at `/docs`, generated from the table of operations. */
export function referenceBody(operations: readonly Operation[], origins: Origins): Markup {
  const groups = groupsOf(operations);
  return html`<nav class="contents" aria-label="Operations">
      ${groups.map(
        ({ name }) =>
          html`<details open>
            <summary>${name}</summary>
            ${operations.filter((row) => groupOf(row) === name).map(contentsLine)}
          </details>`,
      )}
    </nav>
    <section>
      <h2>How it works</h2>
      ${markdown(introduction(operations, origins.apiUrl))}
    </section>
    ${keyField()}
    ${groups.map(
      ({ name, description }) =>
        html`<h2 class="group" id="group-${name}">${name}</h2>
          ${description && html`<p class="lead">${description}</p>`}
          ${operations
            .filter((row) => groupOf(row) === name)
            .map((row) => operationSection(row, origins))}`,
    )}`;
}

const contentsLine = (row: Operation): Markup =>
  html`<a href="#${row.name}">${endpointOf(row)}</a>`;

function operationSection(row: Operation, origins: Origins): Markup {
  const { name, method, routes, summary, description, fixtures = [] } = row;
  return html`<section id="${name}" class="operation">
    <h3><code>${endpointOf(row)}</code></h3>
    <p>${markdownLine(summary)}.</p>
    ${description && markdown(description)}
    <dl class="facts">
      ${fact('Price', markdownLine(priceSentence(row)))} ${accessFacts(row)}
      ${routes.filter(({ successor }) => successor).map(({ path }) => fact('Superseded', html`<code>${method} ${path}</code>`))}
    </dl>
    ${parameterTable(row)} ${samples(row, origins)} ${answer(row)}
    ${fixtures.length > 0 ? fixtureTable(fixtures) : undefined} ${problems(row)}
  </section>`;
}

const fact = (name: string, value: Markup): Markup =>
  html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;

function accessFacts({ access }: Operation): Markup {
  if (access.kind !== 'key') return fact('Access', html`public, without a key`);
  return html`${fact('Scope', html`<code>${access.scope}</code>`)}
  ${fact('Rate class', html`${access.class}`)}`;
}

function parameterTable({ parameters }: Operation): Markup {
  const known = Object.entries(parameters);
  if (known.length === 0) return html``;
  return html`<h4>Parameters</h4>
    <table class="stacked">
      <thead>
        <tr>
          <th>Name</th>
          <th>What it is</th>
          <th>Default</th>
        </tr>
      </thead>
      <tbody>
        ${known.map(([name, parameter]) => parameterRow(name, parameter))}
      </tbody>
    </table>`;
}

function parameterRow(name: string, parameter: Parameter): Markup {
  const { about, example, synonyms = [], isRequired, default: fallback, in: place } = parameter;
  const also = synonyms.length > 0 ? html` Also: <code>${synonyms.join(', ')}</code>.` : undefined;
  const words =
    isRequired || place === 'path'
      ? html`<strong>required</strong>`
      : html`${fallback === undefined ? '–' : String(fallback)}`;
  return html`<tr>
    <td data-label="Name"><code>${name}</code></td>
    <td data-label="What it is">
      ${markdownLine(about)}. Example: <code>${example}</code>.${also}
    </td>
    <td data-label="Default">${words}</td>
  </tr>`;
}

function samples(row: Operation, { apiUrl, dashboardUrl }: Origins): Markup {
  const texts = callSamples(exampleCall(apiUrl, row));
  return html`<h4>Call</h4>
    ${LANGUAGES.map(
      (language, place) =>
        html`<details ${place === 0 ? html`open` : undefined}>
          <summary>${language}</summary>
          <pre tabindex="0"><code>${texts[language]}</code></pre>
        </details>`,
    )}
    <p class="quiet">
      <a href="${dashboardUrl}/playground/${row.name}">Try it in the playground</a>
    </p>
    ${callForm(row)}`;
}

function answer({ examples: [{ title, answer: body }] }: Operation): Markup {
  return html`<h4>Answer</h4>
    <details>
      <summary>${title}</summary>
      <pre tabindex="0"><code>${JSON.stringify(body, undefined, 2)}</code></pre>
    </details>`;
}

function fixtureTable(fixtures: NonNullable<Operation['fixtures']>): Markup {
  return html`<h4>Samples for test keys</h4>
    <dl class="facts">
      ${fixtures.map(({ value, answers }) => fact(value, markdownLine(answers)))}
    </dl>`;
}

function problems(row: Operation): Markup {
  const links = problemsOf(row).map((code) => html` <a href="/errors/${code}">${code}</a>`);
  return html`<h4>Errors</h4>
    <p>${links}</p>`;
}
