/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * cursor.c - the read position of an open file
 *
 * A program that reads messages from mapped memory stores its position in a page
 * that it shares with the module. Any value is safe: messages with a greater
 * sequence are new; if there are none, nothing is new.
 */
#include <linux/anon_inodes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "compat/compat.h"
#include "file.h"

void achk_cursor_load(struct achk_file *f, struct achi_cursor *cur)
{
    raw_spin_lock(&f->lock);
    *cur = f->cursor;
    cur->seen = achk_cursor_seen(f);
    raw_spin_unlock(&f->lock);
}

/* Under f->lock. */
static bool advance(struct achk_file *f, u64 from, u64 to)
{
    struct ach_kernel_cursor *page = achk_cursor_page(f);

    if (achk_cursor_seen(f) != from)
        return false;
    atomic64_set(&f->seen, to);
    if (page)
        WRITE_ONCE(page->seen, to);
    return true;
}

static void count(struct achi_cursor *all, const struct achi_cursor *way)
{
    all->stamp = way->stamp;
    all->overtaken += way->overtaken;
    if (!way->received) /* an old message, got again with ACH_O_COPY */
        return;
    all->received += way->received;
    all->missed += way->missed;
    all->missed_last = way->missed_last;
}

bool achk_cursor_move(struct achk_file *f, u64 from, const struct achi_cursor *way)
{
    bool ok;

    raw_spin_lock(&f->lock);
    ok = advance(f, from, way->seen);
    if (ok)
        count(&f->cursor, way);
    raw_spin_unlock(&f->lock);
    return ok;
}

bool achk_cursor_skip(struct achk_file *f, u64 from, u64 to)
{
    bool ok;

    raw_spin_lock(&f->lock);
    ok = advance(f, from, to);
    raw_spin_unlock(&f->lock);
    return ok;
}

/* Every open file may have a page, so charge it to the control group. */
static int make_page(struct achk_file *f)
{
    struct ach_kernel_cursor *page;

    if (achk_cursor_page(f))
        return 0;
    page = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
    if (!page)
        return -ENOMEM;
    raw_spin_lock(&f->lock);
    if (!f->mapped) {
        page->seen = (u64)atomic64_read(&f->seen);
        page->cancels = READ_ONCE(f->cancels);
        smp_store_release(&f->mapped, page); /* pairs with achk_cursor_page */
        page = NULL;
    }
    raw_spin_unlock(&f->lock);
    free_page((unsigned long)page);
    return 0;
}

static int cursor_release(struct inode *inode, struct file *filp)
{
    achk_file_put(filp->private_data);
    return 0;
}

static vm_fault_t cursor_fault(struct vm_fault *vmf)
{
    const struct achk_file *f = vmf->vma->vm_private_data;

    if (vmf->pgoff)
        return VM_FAULT_SIGBUS;
    vmf->page = virt_to_page(f->mapped);
    get_page(vmf->page);
    return 0;
}

static const struct vm_operations_struct cursor_vm_ops = {.fault = cursor_fault};

static int cursor_mmap(struct file *filp, struct vm_area_struct *vma)
{
    struct achk_file *f = filp->private_data;

    if (vma->vm_pgoff || vma->vm_end - vma->vm_start != PAGE_SIZE)
        return -EINVAL;
    if (!(vma->vm_flags & VM_SHARED))
        return -EINVAL;
    if (vma->vm_flags & VM_EXEC)
        return -EACCES;
    achk_vm_flags(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYEXEC);
    vma->vm_private_data = f;
    vma->vm_ops = &cursor_vm_ops;
    return vm_insert_page(vma, vma->vm_start, virt_to_page(f->mapped));
}

static const struct file_operations cursor_ops = {
    .owner = THIS_MODULE,
    .release = cursor_release,
    .mmap = cursor_mmap,
};

int achk_cursor_open(struct achk_file *f)
{
    int fd = make_page(f);

    if (fd)
        return fd;
    achk_file_get(f);
    fd = anon_inode_getfd("[ach-cursor]", &cursor_ops, f, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        achk_file_put(f);
    return fd;
}
