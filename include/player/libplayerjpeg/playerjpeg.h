/* SPDX-License-Identifier: BSD-3-Clause */
/* playerjpeg.h - JPEG images from and to rows of RGB bytes */
#ifndef ACH_PLAYER_PLAYERJPEG_H
#define ACH_PLAYER_PLAYERJPEG_H

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the bytes at dst; 0: not possible, or there is too little room. */
int jpeg_compress(char *dst, char *src, int width, int height, int dstsize, int quality);

/* An image that cannot be decoded, or is larger than dst, leaves dst as it is. */
void jpeg_decompress(unsigned char *dst, int dst_size, unsigned char *src, int src_size);
void jpeg_decompress_from_file(unsigned char *dst, char *file, int size, int *width, int *height);

#ifdef __cplusplus
}
#endif

#endif
