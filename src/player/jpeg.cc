/* SPDX-License-Identifier: BSD-3-Clause */
/* jpeg.cc - JPEG images from and to rows of RGB bytes */
#include <libplayerjpeg/playerjpeg.h>
#include <stdio.h>
#include <string.h>
#include <turbojpeg.h>

#include <vector>

int jpeg_compress(char *dst, char *src, int width, int height, int dstsize, int quality)
{
    tjhandle tj = tjInitCompress();
    unsigned char *jpeg = nullptr;
    unsigned long size = 0;
    int failed = tjCompress2(tj, reinterpret_cast<unsigned char *>(src), width, 0, height, TJPF_RGB,
                             &jpeg, &size, TJSAMP_420, quality, 0);

    if (failed || size > (unsigned long)dstsize)
        size = 0;
    memcpy(dst, jpeg, size);
    tjFree(jpeg);
    tjDestroy(tj);
    return (int)size;
}

static void decompress(unsigned char *dst, int room, unsigned char *src, unsigned long size, int *w,
                       int *h)
{
    tjhandle tj = tjInitDecompress();
    int sampling, colors;

    if (tjDecompressHeader3(tj, src, size, w, h, &sampling, &colors) == 0 && 3LL * *w * *h <= room)
        tjDecompress2(tj, src, size, dst, *w, 0, *h, TJPF_RGB, 0);
    tjDestroy(tj);
}

void jpeg_decompress(unsigned char *dst, int dst_size, unsigned char *src, int src_size)
{
    int w, h;

    decompress(dst, dst_size, src, (unsigned long)src_size, &w, &h);
}

void jpeg_decompress_from_file(unsigned char *dst, char *file, int size, int *width, int *height)
{
    FILE *f = fopen(file, "rb");
    std::vector<unsigned char> jpeg;
    unsigned char part[4096];
    size_t n;

    while (f && (n = fread(part, 1, sizeof(part), f)) > 0)
        jpeg.insert(jpeg.end(), part, part + n);
    if (f)
        fclose(f);
    decompress(dst, size, jpeg.data(), jpeg.size(), width, height);
}
