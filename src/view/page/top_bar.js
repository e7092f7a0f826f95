// SPDX-License-Identifier: BSD-3-Clause
// The line at the top: what is seen, buttons for panels, dark or light.
import { make, button, iconButton, set, setText, setTitle, icon } from './dom.js';
import { KINDS } from './panels/kinds.js';

export class TopBar {
    #app;
    #source = make('span', { class: 'source' });

    constructor(app, element) {
        this.#app = app;
        const list = iconButton('menu', 'Channels', () => this.#list(), { class: 'list-button', 'aria-controls': 'side' });
        const kinds = Object.entries(KINDS).map(([kind, { icon: name, title }]) =>
            button([icon(name), make('span', { text: title })], () => app.openPanel(kind), { class: 'add', title: `Add a panel: ${title}`, 'aria-label': `Add a panel: ${title}` }));
        this.theme = iconButton('theme', 'Dark or light', () => app.theme.toggle(), { class: 'theme' });
        element.append(list, make('h1', {}, 'ach view'), this.#source, make('span', { class: 'adds', role: 'group', 'aria-label': 'Add a panel' }, kinds), this.theme);
        app.model.on('hello', () => this.#show());
        app.theme.on('change', () => this.#themed());
        this.#themed();
    }

    #show() {
        const { host, source, file, version } = this.#app.model.hello;
        const name = source === 'file' ? file.replace(/^.*\//, '') : host;
        setText(this.#source, name);
        setTitle(this.#source, source === 'file' ? `the recording ${file}` : `live, on ${host}; ach ${version}`);
        this.#source.dataset.source = source;
        document.title = `${name || 'ach'} – ach view`;
    }

    #themed() {
        const label = this.#app.theme.dark ? 'Light colours' : 'Dark colours';
        set(this.theme, { title: label, 'aria-label': label });
    }

    #list() {
        const open = document.body.classList.toggle('listing');
        set(document.querySelector('.list-button'), { 'aria-expanded': String(open) });
    }
}
