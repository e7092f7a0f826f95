/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * map.c - read-only mappings of a channel's memory
 *
 * mmap inserts all pages, so that a real-time program takes no page fault. The
 * fault handler serves pages that a program gave back (MADV_DONTNEED).
 */
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/vmalloc.h>

#include "compat/compat.h"
#include "file.h"

static struct page *page_of(const struct achk_channel *ch, unsigned long pgoff)
{
    return vmalloc_to_page((const char *)ch->view.hdr + (pgoff << PAGE_SHIFT));
}

static vm_fault_t fault(struct vm_fault *vmf)
{
    const struct achk_file *f = vmf->vma->vm_private_data;

    if (vmf->pgoff >= f->channel->geometry.memory >> PAGE_SHIFT)
        return VM_FAULT_SIGBUS;
    vmf->page = page_of(f->channel, vmf->pgoff);
    get_page(vmf->page);
    return 0;
}

static const struct vm_operations_struct vm_ops = {.fault = fault};

static int insert_all(struct vm_area_struct *vma, const struct achk_channel *ch)
{
    unsigned long pages = vma_pages(vma);
    unsigned long i;
    int r = 0;

    for (i = 0; i < pages && !r; i++) {
        if (fatal_signal_pending(current))
            return -EINTR;
        r = vm_insert_page(vma, vma->vm_start + (i << PAGE_SHIFT), page_of(ch, vma->vm_pgoff + i));
        cond_resched();
    }
    return r;
}

int achk_mmap(struct file *filp, struct vm_area_struct *vma)
{
    struct achk_file *f = filp->private_data;
    unsigned long pages = f->channel->geometry.memory >> PAGE_SHIFT;

    if (vma->vm_pgoff > pages || vma_pages(vma) > pages - vma->vm_pgoff)
        return -EINVAL;
    if (vma->vm_flags & (VM_WRITE | VM_EXEC))
        return -EACCES;
    achk_vm_flags(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE | VM_MAYEXEC);
    vma->vm_private_data = f;
    vma->vm_ops = &vm_ops;
    return insert_all(vma, f->channel);
}
