// SPDX-License-Identifier: BSD-3-Clause
// A dialog to choose from a list: topics, fields. Resolves to the chosen values; to none if it is closed.
import { make, button } from './dom.js';

const LIMIT = 400; // entries that are shown at a time

// items: {value, label, detail, on}. `free`: text that is not in the list may be entered. `none`: why there are no items.
export function choose({ title, items, multiple = false, free = null, none = 'There is nothing to choose.' }) {
    const list = make('div', { class: 'choices', role: multiple ? 'group' : null });
    const input = make('input', { type: 'search', placeholder: free ?? 'Filter', 'aria-label': 'Filter', autocomplete: 'off', spellcheck: 'false' });
    const chosen = new Set(items.filter((i) => i.on).map((i) => i.value));
    const done = button('Show', () => finish([...chosen]), { class: 'primary', hidden: !multiple });
    const dialog = make('dialog', { class: 'choose', 'aria-label': title },
        make('form', { method: 'dialog', on: { submit: (e) => e.preventDefault() } }, make('h2', { text: title }), input, list,
            make('div', { class: 'row' }, button('Cancel', () => finish([])), done)));
    let finish;

    const pick = (value, on) => {
        if (!multiple) return finish([value]);
        if (on) chosen.add(value);
        else chosen.delete(value);
    };
    const entry = ({ value, label, detail }) => {
        const texts = [make('span', { class: 'label', text: label }), make('span', { class: 'dim', text: detail ?? '' })];
        if (!multiple) return make('button', { type: 'button', class: 'choice', on: { click: () => pick(value) } }, texts);
        const box = make('input', { type: 'checkbox', checked: chosen.has(value), on: { change: (e) => pick(value, e.target.checked) } });
        return make('label', { class: 'choice' }, box, texts);
    };
    const show = () => {
        const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
        const found = items.filter((i) => words.every((w) => `${i.label} ${i.detail ?? ''}`.toLowerCase().includes(w)));
        list.replaceChildren(...found.slice(0, LIMIT).map(entry));
        if (found.length > LIMIT) list.append(make('p', { class: 'hint', text: `${found.length - LIMIT} more: filter to see them.` }));
        if (!found.length) list.append(make('p', { class: 'hint', text: free && input.value ? `Enter: use “${input.value}”.` : items.length ? 'Nothing matches.' : none }));
        return found;
    };
    const enter = () => {
        const found = show();
        if (free && !found.length && input.value) return finish([input.value.trim()]);
        if (!found.length) return undefined;
        if (!multiple) return finish([found[0].value]);
        return finish(chosen.size ? [...chosen] : [found[0].value]);
    };

    input.addEventListener('input', show);
    input.addEventListener('keydown', (e) => e.key === 'Enter' && (e.preventDefault(), enter()));
    show();
    return new Promise((resolve) => {
        finish = (values) => {
            dialog.close();
            dialog.remove();
            resolve(values);
        };
        dialog.addEventListener('cancel', (e) => (e.preventDefault(), finish([])));
        dialog.addEventListener('click', (e) => e.target === dialog && finish([]));
        document.body.append(dialog);
        dialog.showModal();
        input.focus();
    });
}
